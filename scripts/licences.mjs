// The licences that the packages of the lock file may have, for `scripts/sbom.mjs` and the tests.

/** For packages that are installed together with this one. */
export const permissive = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

/**
 * More licences for packages that are installed with it, each with the reason why a package under Apache-2.0 can use
 * it.
 */
export const accepted = {
  "codec-parser": {
    licence: "LGPL-3.0-or-later",
    why: "a package of its own, not changed and not copied: it can be replaced",
  },
};

/** Also accepted for tools, which only developers install: they are not part of the package. */
export const forTools = ["MIT OR Apache-2.0", "(MIT OR CC0-1.0)", "BlueOak-1.0.0", "CC0-1.0", "Python-2.0", "MPL-2.0"];

/** Whether a package of the lock file may be used. */
export function isLicenceFine({ name, license, isTool }) {
  if (license === undefined) return false;
  return permissive.includes(license) || accepted[name]?.licence === license || (isTool && forTools.includes(license));
}
