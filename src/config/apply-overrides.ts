import { nearestName } from "../text/nearest-name.ts";
import { configError } from "./config-error.ts";
import { type ConfigNode, isMissing, type MapNode, makeMap, pathOf, setEntry, setItem } from "./config-node.ts";
import { mergeNodes } from "./merge-nodes.ts";
import type { Override } from "./parse-override.ts";
import { pythonText } from "./python-text.ts";
import { splitKey } from "./select-node.ts";

type Follow = (node: ConfigNode) => ConfigNode | undefined;

/** Applies overrides of values to a config, in order, as Hydra does. */
export function applyOverrides(root: MapNode, overrides: readonly Override[], follow: Follow): void {
  for (const override of overrides) applyOne(root, override, follow);
}

function applyOne(root: MapNode, override: Override, follow: Follow): void {
  if (override.package !== undefined || override.key.includes("/")) {
    throw configError(override.position, `There is no config group ${override.key.split("@")[0]}.`, {
      hint: "A group is a folder beside the config with one file for each choice; a value's key has dots, not slashes.",
    });
  }
  const steps = splitKey(override.key);
  const present = find(root, steps);
  if (override.kind === "delete") remove(root, override, present);
  else if (override.kind === "change") {
    if (present?.parent === undefined) throw unknownKey(root, steps, override);
    put(present.parent, steps.at(-1)!, override, follow, refuseNew(override));
  } else {
    if (override.kind === "add") refuseTaken(override, present);
    put(makeSection(root, steps.slice(0, -1), override), steps.at(-1)!, override, follow);
  }
}

function refuseTaken(override: Override, present: ConfigNode | undefined): void {
  if (present === undefined || isMissing(present) || override.value!.kind !== "scalar") return;
  if (present.kind === "scalar" && present.value === null) return;
  throw configError(override.position, `${override.key} is there already.`, {
    hint: `Write ${override.text.slice(1)} to change it, or +${override.text} to set it either way.`,
  });
}

function find(root: MapNode, steps: readonly string[]): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const step of steps) node = node === undefined ? undefined : child(node, step);
  return node;
}

function child(node: ConfigNode, step: string): ConfigNode | undefined {
  if (node.kind === "map") return node.entries.get(step);
  return node.kind === "list" && /^\d+$/.test(step) ? node.items[Number(step)] : undefined;
}

/** The section for an added key. Missing sections on the path are created, and replace single values. */
function makeSection(root: MapNode, steps: readonly string[], override: Override): ConfigNode {
  let node: ConfigNode = root;
  for (const step of steps) {
    const next = child(node, step);
    if (next !== undefined && next.kind !== "scalar") node = next;
    else {
      const made = makeMap(override.position);
      setChild(node, step, made, override);
      node = made;
    }
  }
  return node;
}

function put(
  container: ConfigNode,
  step: string,
  override: Override,
  follow: Follow,
  options: { refuseNew?: (section: MapNode, key: string) => never } = {},
): void {
  const value = override.value!;
  const old = child(container, step);
  if (old === undefined || old.kind === "scalar" || value.kind === "scalar") {
    setChild(container, step, value, override);
  } else if (old.kind !== value.kind) {
    const [was, is] = old.kind === "map" ? ["section", "list"] : ["list", "section"];
    throw configError(override.position, `${override.key} is a ${was}; a ${is} cannot be merged into it.`, {
      hint: `Remove it first: ~${override.key} and +${override.key}=…`,
    });
  } else if (old.kind === "map") mergeNodes(old, value as MapNode, { follow, ...options });
  else setChild(container, step, value, override);
}

function setChild(container: ConfigNode, step: string, value: ConfigNode, { position, key }: Override): void {
  if (container.kind === "map") setEntry(container, step, value);
  else if (container.kind === "list" && child(container, step) !== undefined) setItem(container, Number(step), value);
  else {
    const what = container.kind === "list" ? `a list of ${container.items.length}` : "a single value";
    throw configError(position, `${key} cannot be set: ${pathOf(container)} is ${what} and has no ${step}.`, {
      hint:
        container.kind === "list"
          ? wholeList(container)
          : `To make it a section, write ${pathOf(container)}={${step}: …}.`,
    });
  }
}

function remove(root: MapNode, override: Override, present: ConfigNode | undefined): void {
  if (present?.parent === undefined) {
    const { deepest, missed } = followSteps(root, splitKey(override.key));
    throw configError(override.position, `${override.key} cannot be removed: it is not there.`, {
      hint: `${didYouMean(missed, deepest)}Leave the override out, or check how the key is spelt.`,
    });
  }
  if (override.value !== undefined && pythonText(override.value) !== pythonText(present)) {
    throw configError(
      override.position,
      `${override.key} is ${pythonText(present)}, not ${pythonText(override.value)}.`,
      {
        hint: `Write ~${override.key} to remove it whatever it is.`,
      },
    );
  }
  const { parent, key } = present;
  if (parent.kind === "map") parent.entries.delete(key as string);
  else {
    parent.items.splice(key as number, 1);
    parent.items.forEach((item, i) => {
      item.key = i;
    });
  }
}

function refuseNew(override: Override) {
  return {
    refuseNew: (section: MapNode, key: string): never => {
      throw configError(override.position, `${pathOf(section)} has no key ${key}.`, {
        hint: `${didYouMean(key, section)}To add it, write +${override.text}.`,
      });
    },
  };
}

/** The last node that a key reaches, and the first step that is missing. */
function followSteps(root: MapNode, steps: readonly string[]): { deepest: ConfigNode; missed: string } {
  let deepest: ConfigNode = root;
  let missed = steps[0]!;
  for (const step of steps) {
    missed = step;
    const next = child(deepest, step);
    if (next === undefined) break;
    deepest = next;
  }
  return { deepest, missed };
}

function unknownKey(root: MapNode, steps: readonly string[], override: Override) {
  const { deepest, missed } = followSteps(root, steps);
  // A list cannot be extended, so + would be refused too.
  const hint =
    deepest.kind === "list"
      ? `${pathOf(deepest)} is a list of ${deepest.items.length}. ${wholeList(deepest)}`
      : `${didYouMean(missed, deepest)}To add it, write +${override.text}.`;
  return configError(override.position, `There is no key ${override.key} in the config.`, { hint });
}

function wholeList(list: ConfigNode): string {
  return `Positions count from 0; to replace the whole list, write ${pathOf(list)}=[…].`;
}

function didYouMean(wrong: string, section: ConfigNode): string {
  const near = section.kind === "map" ? nearestName(wrong, [...section.entries.keys()]) : undefined;
  return near === undefined ? "" : `Did you mean ${near}? `;
}
