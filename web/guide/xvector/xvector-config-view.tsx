import type { JSX } from "preact";
import { conventionOf } from "../../../src/recipes/xvector/toolkits/choose-convention.ts";
import { usualConvention } from "../../../src/recipes/xvector/toolkits/toolkit.ts";
import { type ToolkitName, toolkitNames } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { CopyButton } from "../view/copy-button.tsx";
import { Choice } from "../view/field.tsx";
import { Scroll } from "../view/scroll.tsx";
import { exampleConfig, yamlLines } from "./example-config.ts";
import { type Field, fields } from "./fields.built.js";
import { providerCode, runnerCode } from "./toolkit-code.ts";
import { toolkitFacts } from "./toolkit-facts.ts";

interface XVectorConfigProps {
  readonly toolkit: string;
  readonly onChoose: (toolkit: ToolkitName) => void;
}

/** The x-vector config for a toolkit, the recipe's interpretation of it, and every key. */
export function XVectorConfig({ toolkit: given, onChoose }: XVectorConfigProps): JSX.Element {
  const toolkit = toolkitNames.find((name) => name === given) ?? "speechbrain";
  const config = exampleConfig(toolkit);
  const section = config.xvector;
  const convention = Object.entries(conventionOf(section));
  const { sentence, dimension } = toolkitFacts[toolkit];
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
      <p class="toolkit">
        {sentence} Numbers in a vector: <strong>{dimension}</strong>.
      </p>
      <div class="columns">
        <Code title="The config" name="xvector.yaml" text={`${yamlLines(config).join("\n")}\n`} />
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
      <p>
        <code>millrace xvector xvector.yaml</code> runs it. The same with a provider and a runner of your own:
      </p>
      <div class="columns">
        <Code title="The provider" name="xvector-provider.ts" text={providerCode(toolkit)} />
        <Code title="The runner" name="xvector-runner.ts" text={runnerCode(toolkit)} />
      </div>
      <FieldList title="Every key of xvector" list={fields.xvector} used={section} />
      <FieldList title="Every key of xvector.model" list={fields.model} used={section.model ?? {}} />
    </section>
  );
}

interface CodeProps {
  readonly title: string;
  readonly name: string;
  readonly text: string;
}

function Code({ title, name, text }: CodeProps): JSX.Element {
  return (
    <figure class="panel source">
      <figcaption>
        <h3>{title}</h3> <code>{name}</code> <CopyButton text={text} what={name} />
      </figcaption>
      <Scroll label={`${title}: ${name}`}>{text}</Scroll>
    </figure>
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
