import type { SourcePosition } from "./config-node.ts";
import type { DefaultEntry } from "./default-entry.ts";

/** An entry of a defaults list with its context: the choice may change, and names are relative to the parent. */
export interface DefaultElement {
  readonly kind: "config" | "group";
  /** The path of a config or the name of a group, as written: relative, or absolute with a leading /. */
  readonly name: string;
  /** The chosen option of a group; null for none. Undefined for a config. */
  choice: string | readonly string[] | null;
  /** `@package` of the entry; it takes precedence over the file's header. */
  readonly package: string | undefined;
  packageHeader: string | undefined;
  readonly parentGroup: string;
  readonly parentPackage: string;
  readonly isOptional: boolean;
  readonly isOverride: boolean;
  /** From the command line (`+db=mysql`): its name is never relative. */
  readonly isAppended: boolean;
  /** Where the choice was made. */
  position: SourcePosition;
}

/** Adds the parent's context to an entry. */
export function placeEntry(
  entry: Exclude<DefaultEntry, { kind: "self" }>,
  parentGroup: string,
  parentPackage: string,
  isAppended = false,
): DefaultElement {
  const isGroup = entry.kind === "group";
  const element: DefaultElement = {
    kind: entry.kind,
    name: isGroup ? entry.group : entry.path,
    choice: isGroup ? entry.choice : null,
    package: entry.package === "_here_" ? "" : entry.package,
    packageHeader: undefined,
    parentGroup,
    parentPackage,
    isOptional: entry.isOptional,
    isOverride: isGroup && entry.isOverride,
    isAppended,
    position: entry.position,
  };
  if (element.package?.includes("_group_") !== true) return element;
  const group = groupPathOf(element).replaceAll("/", ".");
  return { ...element, package: `_global_.${element.package.replaceAll("_group_", group)}` };
}

/** The absolute group of an element: `server/db`. */
export function groupPathOf(element: DefaultElement): string {
  const isAbsolute = element.name.startsWith("/");
  const name = isAbsolute ? element.name.slice(1) : element.name;
  const group = element.kind === "group" ? name : name.slice(0, Math.max(0, name.lastIndexOf("/")));
  if (isAbsolute || element.isAppended || element.parentGroup === "") return group;
  return group === "" ? element.parentGroup : `${element.parentGroup}/${group}`;
}

/** The name of the config that an element includes: `mysql`; null for none. */
export function optionOf(element: DefaultElement): string | null {
  if (element.kind === "group") return typeof element.choice === "string" ? element.choice : null;
  return element.name.slice(element.name.lastIndexOf("/") + 1);
}

/** The absolute path of the config: `server/db/mysql`. */
export function configPathOf(element: DefaultElement): string {
  const group = groupPathOf(element);
  const option = optionOf(element) ?? "";
  return group === "" ? option : `${group}/${option}`;
}

/** The key in the whole config under which the content is merged: `server.db`; "" is the root. */
export function finalPackageOf(element: DefaultElement, options: { useHeader: boolean } = { useHeader: true }): string {
  const relativeName = element.name.replace(/^\//, "");
  const relativeGroup =
    element.kind === "group" ? relativeName : relativeName.slice(0, Math.max(0, relativeName.lastIndexOf("/")));
  const relativePackage =
    element.package ?? (options.useHeader ? element.packageHeader : undefined) ?? relativeGroup.replaceAll("/", ".");
  const parent = element.isAppended ? "" : element.parentPackage;
  const joined = [parent, relativePackage].filter((part) => part !== "").join(".");
  const globalAt = joined.lastIndexOf("_global_");
  return globalAt === -1 ? joined : joined.slice(globalAt + "_global_.".length);
}

/** The name of a group in overrides: `db`, or `db@backup` if its content is not merged at the default key. */
export function overrideKeyOf(element: DefaultElement): string {
  const group = groupPathOf(element);
  const place = finalPackageOf(element, { useHeader: false });
  if (place === group.replaceAll("/", ".")) return group;
  return `${group}@${place === "" ? "_global_" : place}`;
}

/** A header gives the absolute key of the content, independent of what includes the file. */
export function absoluteHeader(header: string | undefined): string | undefined {
  if (header === undefined || header === "_group_") return undefined;
  return header === "_global_" || header.startsWith("_global_.") ? header : `_global_.${header}`;
}
