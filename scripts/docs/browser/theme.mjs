// Before the page is drawn: applies the saved choice of light or dark.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // The browser has no storage; the system decides.
}
