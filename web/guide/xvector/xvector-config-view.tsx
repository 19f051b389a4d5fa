import type { JSX } from "preact";
import { conventionOf } from "../../../src/recipes/xvector/toolkits/choose-convention.ts";
import { usualConvention } from "../../../src/recipes/xvector/toolkits/toolkit.ts";
import { type ToolkitName, toolkitNames } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { Choice } from "../view/field.tsx";
import { Scroll } from "../view/scroll.tsx";
import { exampleSection, yamlLines } from "./example-config.ts";
import { type Field, fields } from "./fields.built.js";

interface XVectorConfigProps {
  readonly toolkit: string;
  readonly onChoose: (toolkit: ToolkitName) => void;
}

/** The config of the x-vector recipe for a toolkit, what the recipe makes of it, and every key. */
export function XVectorConfig({ toolkit: given, onChoose }: XVectorConfigProps): JSX.Element {
  const toolkit = toolkitNames.find((name) => name === given) ?? "speechbrain";
  const section = exampleSection(toolkit);
  const convention = Object.entries(conventionOf(section));
  return (
    <section class="xvector" aria-labelledby="xvector-title">
      <h2 id="xvector-title" class="part">
        An x-vector config, toolkit by toolkit
      </h2>
      <p>
        The recipe extracts a speaker embedding for every utterance of a corpus. Toolkits differ in how a model wants
        its audio; the rest of the config stays.
      </p>
      <Choice
        name="toolkit"
        label="toolkit"
        value={toolkit}
        choices={toolkitNames.map((name) => [name, name])}
        onChoose={onChoose}
      />
      <div class="columns">
        <figure class="panel source">
          <figcaption>
            <h3>The config</h3> <code>xvector.yaml</code>
          </figcaption>
          <Scroll label="The config: xvector.yaml">{`${yamlLines({ xvector: section }).join("\n")}\n`}</Scroll>
        </figure>
        <section class="panel" aria-labelledby="convention-title">
          <h3 id="convention-title">What {toolkit} hands to the model</h3>
          <dl class="facts">
            {convention.map(([key, value]) => (
              <div key={key} class={isUsual(key, value) ? "" : "own"}>
                <dt>{key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}</dt>
                <dd>
                  {valueText(value)} {!isUsual(key, value) && <span class="mark">its own</span>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <FieldList title="Every key of xvector" list={fields.xvector} used={section} />
      <FieldList title="Every key of xvector.model" list={fields.model} used={section.model ?? {}} />
    </section>
  );
}

interface FieldListProps {
  readonly title: string;
  readonly list: readonly Field[];
  readonly used: object;
}

function FieldList({ title, list, used }: FieldListProps): JSX.Element {
  return (
    <details class="panel">
      <summary>{title}</summary>
      <dl class="fields">
        {list.map(({ name, type, text, isRequired }) => (
          <div key={name}>
            <dt>
              <code>{name}</code> {isRequired && <span class="mark">required</span>}
              {name in used && <span class="mark">above</span>}
            </dt>
            <dd>
              {text} <code class="faint">{type}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function isUsual(key: string, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(Reflect.get(usualConvention, key));
}

function valueText(value: unknown): string {
  if (value === undefined) return "not set";
  if (typeof value !== "object" || value === null) return String(value);
  return yamlLines(value).join(", ") || "none";
}
