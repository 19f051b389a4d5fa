// Before the page is drawn: the choice of light or dark that was made here before.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A browser may keep nothing; then the system decides.
}
