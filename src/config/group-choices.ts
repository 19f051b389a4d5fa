import { nearestName } from "../text/nearest-name.ts";
import { configError } from "./config-error.ts";
import type { SourcePosition } from "./config-node.ts";
import { type DefaultElement, optionOf, overrideKeyOf, placeEntry } from "./default-element.ts";
import type { Override } from "./parse-override.ts";
import { pythonText } from "./python-text.ts";

interface Choice {
  readonly value: string | readonly string[] | null;
  readonly position: SourcePosition;
  /** The override of the command line that made the choice, if any. */
  readonly override: Override | undefined;
  isUsed: boolean;
}

interface Deletion {
  readonly value: string | undefined;
  readonly override: Override;
  isUsed: boolean;
}

/** The effective choice of each group: the command line first, then the last `override` of the files. */
export class GroupChoices {
  /** Groups that are added on the command line: `+db=mysql`. */
  readonly appended: DefaultElement[] = [];
  /** The final choice of each group, for `${group}` in a defaults list. */
  readonly known: Map<string, string | null> = new Map();
  readonly #chosen = new Map<string, Choice>();
  readonly #deletions = new Map<string, Deletion>();

  constructor(overrides: readonly Override[]) {
    for (const override of overrides) this.#add(override);
  }

  #add(override: Override): void {
    const key = override.package === undefined ? override.key : `${override.key}@${override.package}`;
    if (override.kind === "forceAdd") {
      throw configError(override.position, `++${key} is not possible: ${override.key} is a config group.`, {
        hint: `A group is added with one +: +${key}=…`,
      });
    }
    if (override.kind === "delete") {
      const value = override.value === undefined ? undefined : pythonText(override.value);
      this.#deletions.set(key, { value, override, isUsed: false });
      return;
    }
    const value = readChoice(override);
    if (override.kind === "change") {
      this.#chosen.set(key, { value, position: override.position, override, isUsed: false });
      return;
    }
    const { position, package: pack } = override;
    const entry = {
      kind: "group",
      group: override.key,
      choice: value,
      package: pack,
      isOptional: false,
      isOverride: false,
      position,
    } as const;
    this.appended.push(placeEntry(entry, "", "", true));
  }

  /** Records an `override group: choice`. Files are read from the last entry to the first, so the first record wins. */
  noteOverride(element: DefaultElement): void {
    const key = overrideKeyOf(element);
    if (this.#chosen.has(key)) return;
    this.#chosen.set(key, { value: element.choice, position: element.position, override: undefined, isUsed: false });
  }

  /** Applies the effective choice to a group. */
  apply(element: DefaultElement): void {
    const choice = element.kind === "group" ? this.#chosen.get(overrideKeyOf(element)) : undefined;
    if (choice === undefined) return;
    element.choice = choice.value;
    element.position = choice.position;
    choice.isUsed = true;
  }

  isDeleted(element: DefaultElement): boolean {
    const deletion = element.kind === "group" ? this.#deletions.get(overrideKeyOf(element)) : undefined;
    if (deletion === undefined || (deletion.value !== undefined && deletion.value !== optionOf(element))) return false;
    deletion.isUsed = true;
    return true;
  }

  remember(element: DefaultElement): void {
    if (element.kind !== "group") return;
    const key = overrideKeyOf(element);
    const option = optionOf(element);
    const before = this.known.get(key);
    if (this.known.has(key) && before !== option) {
      const added = this.appended.find((one) => overrideKeyOf(one) === key);
      if (added !== undefined) throw alreadyThere(added, key, added === element ? before : option);
      throw configError(element.position, `The group ${key} is chosen twice: ${before} and ${option}.`, {
        hint: `To choose again, write - override ${key}: ${option}.`,
      });
    }
    this.known.set(key, option);
  }

  /** Refuses choices and deletions of groups that do not exist: they are misspelt. */
  requireAllUsed(): void {
    for (const [key, { isUsed, position, override }] of this.#chosen) {
      if (isUsed) continue;
      const group = key.split("@")[0]!;
      const others = [...this.known.keys()].filter((other) => other.split("@")[0] === group).sort();
      const guess = others.length === 0 ? "" : `Did you mean ${others.join(" or ")}? `;
      throw configError(position, `The group ${key} is in no defaults list, so its choice cannot be changed.`, {
        hint: key.startsWith("hydra/")
          ? "Groups of that name set up Hydra itself, which does not run here: remove it."
          : `${guess}${override === undefined ? "Without `override` the entry adds the group." : `To add it, write +${override.text}.`}`,
      });
    }
    for (const [key, { isUsed, override, value }] of this.#deletions) {
      if (isUsed) continue;
      if (this.known.has(key)) {
        throw configError(override.position, `The choice of ${key} is ${this.known.get(key)}, not ${value}.`, {
          hint: `Write ~${key} to remove the group whatever is chosen.`,
        });
      }
      const near = nearestName(key, [...this.known.keys()]);
      throw configError(override.position, `${key} cannot be removed: no defaults list has it.`, {
        hint: `${near === undefined ? "" : `Did you mean ${near}? `}Leave the override out, or check the name and the package of the group.`,
      });
    }
  }
}

/** `+group=choice` where a defaults list has the group. */
function alreadyThere(added: DefaultElement, key: string, listed: string | null | undefined) {
  const choice = optionOf(added) ?? "null";
  return configError(added.position, `The group ${key} is in a defaults list already, as ${listed}.`, {
    hint: `To choose ${choice}, write ${key}=${choice}.`,
  });
}

function readChoice({ value, position, key }: Override): string | readonly string[] | null {
  const readName = (node: Override["value"]): string => {
    if (node?.kind === "scalar" && typeof node.value === "string") return node.value;
    // Group names may look like values: large, 2x, 12, true.
    if (node?.kind === "scalar" && node.value !== null) return pythonText(node);
    throw configError(position, `The choice of the group ${key} has to be a name.`, {
      hint: `Write the name of a file in the group: ${key}=large; several in [ ].`,
    });
  };
  if (value?.kind === "scalar" && value.value === null) return null;
  return value?.kind === "list" ? value.items.map(readName) : readName(value);
}

/**
 * Separates overrides of groups from overrides of values. A group is a folder beside the config that contains configs.
 */
export async function splitGroupOverrides(
  overrides: readonly Override[],
  isGroup: (name: string) => Promise<boolean>,
): Promise<{ groups: Override[]; values: Override[] }> {
  const groups: Override[] = [];
  const values: Override[] = [];
  for (const override of overrides) {
    const isChoice = override.value?.kind !== "map" && !/[.[]/.test(override.key) && (await isGroup(override.key));
    (isChoice ? groups : values).push(override);
  }
  return { groups, values };
}
