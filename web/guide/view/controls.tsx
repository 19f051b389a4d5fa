import type { JSX } from "preact";
import { parallelEnvs } from "../../../src/config/parallel-envs.ts";
import { driverMoments, limits, type Settings, workerMoments } from "../story/settings.ts";
import { Choice, Field, fieldId } from "./field.tsx";

const workerMomentTexts: Record<(typeof workerMoments)[number], string> = {
  build: "while it builds its env",
  claim: "right after a claim",
  forward: "in the middle of forward",
  write: "after a write, before the checkpoint",
  checkpoint: "right after a checkpoint",
  commit: "right before the commit",
};
const driverMomentTexts: Record<(typeof driverMoments)[number], string> = {
  plan: "right after planning",
  forward: "while workers are at work",
  merge: "during the merge",
};

interface ControlsProps {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

/** The reader's choices: the config of the run, and the faults. */
export function Controls({ settings, onChange }: ControlsProps): JSX.Element {
  const set = (changed: Partial<Settings>) => {
    const next = { ...settings, ...changed };
    onChange({ ...next, badItem: next.badItem < next.items ? next.badItem : -1 });
  };
  const number = (key: keyof typeof limits, label: string) => (
    <NumberField
      name={key}
      label={label}
      value={settings[key]}
      limits={limits[key]}
      onGive={(value) => set({ [key]: value })}
    />
  );
  const items = Array.from({ length: settings.items }, (_, item) => [String(item), `item ${item}`] as const);
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>The config</legend>
        <Choice
          name="env"
          label="env"
          value={settings.env}
          choices={parallelEnvs.map((env) => [env, env])}
          onChoose={(env) => set({ env })}
        />
        {number("workers", "n_workers")}
        {number("items", "items")}
        {number("shards", "shards")}
        {number("batch", "batch_size (0: none)")}
        <Choice
          name="onError"
          label="on_error"
          value={settings.onError}
          choices={(["fail", "skip"] as const).map((policy) => [policy, policy])}
          onChoose={(onError) => set({ onError })}
        />
      </fieldset>
      <fieldset>
        <legend>What happens to it</legend>
        <Choice
          name="killWorker"
          label="A worker is killed"
          value={settings.killWorker}
          choices={[["no", "no"], ...workerMoments.map((moment) => [moment, workerMomentTexts[moment]] as const)]}
          onChoose={(killWorker) => set({ killWorker })}
        />
        <Choice
          name="killDriver"
          label="The driver is killed"
          value={settings.killDriver}
          choices={[["no", "no"], ...driverMoments.map((moment) => [moment, driverMomentTexts[moment]] as const)]}
          onChoose={(killDriver) => set({ killDriver })}
        />
        <Choice
          name="badItem"
          label="A file is damaged"
          value={String(settings.badItem)}
          choices={[["-1", "no"], ...items]}
          onChoose={(item) => set({ badItem: Number(item) })}
        />
        <label class="check">
          <input
            type="checkbox"
            name="pause"
            checked={settings.pause}
            onChange={({ currentTarget }) => set({ pause: currentTarget.checked })}
          />
          A worker is stopped and wakes up late
        </label>
      </fieldset>
    </form>
  );
}

interface NumberFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly limits: readonly [least: number, most: number];
  readonly onGive: (value: number) => void;
}

function NumberField({ name, label, value, limits: [least, most], onGive }: NumberFieldProps): JSX.Element {
  return (
    <Field name={name} label={label}>
      <input
        id={fieldId(name)}
        type="number"
        name={name}
        min={least}
        max={most}
        value={value}
        onChange={({ currentTarget }) => {
          const given = Math.round(currentTarget.valueAsNumber);
          if (given >= least && given <= most) onGive(given);
          else currentTarget.valueAsNumber = value;
        }}
      />
    </Field>
  );
}
