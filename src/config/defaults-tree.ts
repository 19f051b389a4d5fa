import { nearestName } from "../text/nearest-name.ts";
import { configError } from "./config-error.ts";
import type { ConfigFolder, FolderConfig } from "./config-folder.ts";
import type { MapNode } from "./config-node.ts";
import {
  absoluteHeader,
  configPathOf,
  type DefaultElement,
  finalPackageOf,
  groupPathOf,
  optionOf,
  overrideKeyOf,
  placeEntry,
} from "./default-element.ts";
import type { GroupChoices } from "./group-choices.ts";

/** One config of the final list: what is merged, and at which key. */
export interface DefaultResult {
  readonly root: MapNode;
  readonly package: string;
}

// A longer list is caused by configs that include each other.
const maxResults = 2_000;

/** Finds the configs of which a config consists, in merge order, as Hydra does. */
export async function listDefaults(
  folder: ConfigFolder,
  primary: FolderConfig,
  choices: GroupChoices,
): Promise<DefaultResult[]> {
  const top = placeEntry(
    { kind: "config", path: "", package: undefined, isOptional: false, position: primary.root.position },
    "",
    "",
  );
  const results = await new DefaultsTree(folder, choices).expandTop(top, primary);
  choices.requireAllUsed();
  return results;
}

class DefaultsTree {
  readonly #folder: ConfigFolder;
  readonly #choices: GroupChoices;
  // The configs that are being expanded, to detect one that includes itself.
  readonly #open: string[] = [];
  readonly #seenGroups = new Set<string>();
  #count = 0;

  constructor(folder: ConfigFolder, choices: GroupChoices) {
    this.#folder = folder;
    this.#choices = choices;
  }

  async expandTop(element: DefaultElement, config: FolderConfig): Promise<DefaultResult[]> {
    element.packageHeader = absoluteHeader(config.packageHeader);
    return this.#expandConfig(element, config, this.#choices.appended, false);
  }

  /** The configs of an element: itself and what it includes. */
  async #expand(element: DefaultElement, isInterpolated: boolean): Promise<DefaultResult[]> {
    if (this.#choices.isDeleted(element)) return [];
    this.#choices.remember(element);
    const option = optionOf(element);
    if (option === null) return [];
    if (option === "???") throw await this.#mustChoose(element);
    const path = configPathOf(element);
    const config = await this.#folder.load(path, element.position);
    if (config === undefined) {
      if (element.isOptional) return [];
      throw await this.#notFound(element, path);
    }
    element.packageHeader = absoluteHeader(config.packageHeader);
    if (this.#open.includes(path)) {
      throw configError(element.position, `The config includes itself: ${[...this.#open, path].join(" -> ")}.`, {
        hint: "Remove one of these from the defaults list of the one before it.",
      });
    }
    this.#open.push(path);
    const results = await this.#expandConfig(element, config, [], isInterpolated);
    this.#open.pop();
    if (config.defaults.length === 0) this.#refuseTwice(element);
    return results;
  }

  async #expandConfig(
    element: DefaultElement,
    { root, defaults }: FolderConfig,
    appended: readonly DefaultElement[],
    isInterpolated: boolean,
  ): Promise<DefaultResult[]> {
    if (++this.#count > maxResults) {
      throw configError(element.position, `The defaults lists make more than ${maxResults} configs.`, {
        hint: "Lists that include each other several times multiply: remove some of the entries.",
      });
    }
    const self: DefaultResult = { root, package: finalPackageOf(element) };
    const children = defaults.map((entry) =>
      entry.kind === "self" ? ("self" as const) : placeEntry(entry, groupPathOf(element), finalPackageOf(element)),
    );
    this.#checkOrder(defaults, children, isInterpolated);
    const named = children.filter((child) => child === "self" || !child.isOverride);
    // Without _self_ a config is merged after its defaults, so its own values win.
    if (!named.includes("self")) named.push("self");
    const all = [...named, ...appended];
    const parts = await this.#expandChildren(all, self, isInterpolated);
    return parts.flat();
  }

  // From the last to the first: an `override` applies to the entries above it, at any depth.
  async #expandChildren(
    children: readonly ("self" | DefaultElement)[],
    self: DefaultResult,
    isInterpolated: boolean,
  ): Promise<DefaultResult[][]> {
    const parts: DefaultResult[][] = children.map(() => []);
    const later: number[] = [];
    for (const [i, child] of [...children.entries()].reverse()) {
      if (child === "self") parts[i] = [self];
      else {
        this.#choices.apply(child);
        // Choices that depend on other choices are resolved after those.
        if (isReference(child)) later.push(i);
        else parts[i] = await this.#expandChoices(child, isInterpolated);
      }
    }
    for (const i of later) {
      const child = this.#fillIn(children[i] as DefaultElement);
      parts[i] = await this.#expand(child, true);
    }
    return parts;
  }

  async #expandChoices(element: DefaultElement, isInterpolated: boolean): Promise<DefaultResult[]> {
    if (element.kind === "config" || element.choice === null || typeof element.choice === "string") {
      return this.#expand(element, isInterpolated);
    }
    const results: DefaultResult[][] = [];
    for (const option of [...element.choice].reverse()) {
      const single: DefaultElement = { ...element, kind: "config", name: `${element.name}/${option}`, choice: null };
      results.unshift(await this.#expand(single, isInterpolated));
    }
    return results.flat();
  }

  #checkOrder(
    defaults: FolderConfig["defaults"],
    children: readonly ("self" | DefaultElement)[],
    isInterpolated: boolean,
  ): void {
    let lastOverride: DefaultElement | undefined;
    for (const [i, child] of children.entries()) {
      const position = defaults[i]!.position;
      if (child === "self") {
        if (children.indexOf("self") !== i)
          throw configError(position, "_self_ is in the list twice.", {
            hint: "Keep the one at the place from which this config counts.",
          });
      } else if (child.isOverride) {
        if (isInterpolated) {
          throw configError(position, "An override is not allowed in a config that was chosen by an interpolation.", {
            hint: "Move the override into the config that names this one.",
          });
        }
        lastOverride = child;
        this.#choices.noteOverride(child);
      } else if (lastOverride !== undefined) {
        throw configError(position, `${child.name} comes after override ${lastOverride.name}.`, {
          hint: "Put overrides at the end of the defaults list.",
        });
      }
    }
  }

  #refuseTwice(element: DefaultElement): void {
    if (element.kind !== "group") return;
    const key = overrideKeyOf(element);
    if (this.#seenGroups.has(key)) {
      throw configError(element.position, `The group ${key} is in the defaults more than once.`, {
        hint: `Keep one; to have it twice, give each a package: ${key}@first, ${key}@second.`,
      });
    }
    this.#seenGroups.add(key);
  }

  /** `${server}_${db}` → `apache_mysql`. */
  #fillIn(element: DefaultElement): DefaultElement {
    const fill = (text: string) =>
      text.replace(/\$\{\s*([^{}]*?)\s*\}/g, (whole, key: string) => {
        const choice = this.#choices.known.get(key);
        if (typeof choice === "string") return choice;
        const known = [...this.#choices.known.keys()];
        throw configError(element.position, `${whole} is not a group of the defaults.`, {
          hint: known.length === 0 ? "No group is chosen." : `Groups: ${known.join(", ")}.`,
        });
      });
    if (element.kind === "config") return { ...element, name: fill(element.name) };
    return { ...element, choice: fill(element.choice as string) };
  }

  async #mustChoose(element: DefaultElement) {
    const choices = await this.#folder.choicesOf(groupPathOf(element));
    const key = overrideKeyOf(element);
    return configError(element.position, `The group ${key} has to be chosen.`, {
      hint: `Write ${key}=CHOICE. There ${choices.length === 1 ? "is" : "are"}: ${choices.join(", ") || "none"}.`,
    });
  }

  async #notFound(element: DefaultElement, path: string) {
    const group = groupPathOf(element);
    const choices = await this.#folder.choicesOf(group);
    if (choices.length === 0 && group !== "") return this.#noGroup(element, path, group);
    // A name that is not a config, but is used where one could be.
    const words = element.kind === "config" && group === "" ? ["_self_"] : [];
    const near = nearestName(optionOf(element) ?? "", [...choices, ...words]);
    return configError(element.position, `There is no config ${path}.yaml.`, {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}There are: ${choices.join(", ") || "none"}.`,
    });
  }

  async #noGroup(element: DefaultElement, path: string, group: string) {
    const above = group.slice(0, Math.max(0, group.lastIndexOf("/")));
    const groups = await this.#folder.groupsIn(above);
    const near = nearestName(group.slice(above === "" ? 0 : above.length + 1), groups);
    const list = groups.length === 0 ? "There are no groups" : `There are the groups ${groups.join(", ")}`;
    const place = above === "" ? "beside the config" : `in ${above}`;
    return configError(element.position, `There is no config ${path}.yaml, and no group ${group}.`, {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}${list} ${place}: folders with one file for each choice.`,
    });
  }
}

function isReference(element: DefaultElement): boolean {
  const text = element.kind === "group" ? element.choice : element.name;
  return typeof text === "string" && text.includes("${");
}
