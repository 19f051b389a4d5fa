import type { JSX } from "preact";
import { formatCount } from "../format.ts";
import { Facts } from "../parts/facts.tsx";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useSource } from "../parts/use-source.ts";

/** The plan, and the config as it was resolved. */
export function PlanView({ id }: { id: string }): JSX.Element {
  const source = useSource();
  const { value: plan, problem, reload } = useLoaded(() => source.plan(id), [source, id]);
  const texts =
    plan === undefined
      ? []
      : ([
          ["Config", plan.config],
          ["Parameters", plan.params],
          ["Options", plan.options],
          ["Parallel", plan.parallel],
        ] as const);
  return (
    <Panel id="plan-title" title="Plan and config">
      {problem !== undefined && <Problem text={problem} retry={reload} />}
      {plan !== undefined && (
        <Facts
          facts={[
            ["Items", formatCount(plan.items)],
            ["Shards", formatCount(plan.shards)],
            [
              "Items a shard",
              plan.smallestShard === plan.largestShard
                ? formatCount(plan.largestShard)
                : `${formatCount(plan.smallestShard)} to ${formatCount(plan.largestShard)}`,
            ],
            ["Runner", <code key="runner">{plan.runner}</code>],
            ["Provider", <code key="provider">{plan.provider}</code>],
            ["Started in", <code key="cwd">{plan.cwd}</code>],
          ]}
        />
      )}
      <div class="texts">
        {texts
          .filter(([, text]) => text.trim() !== "" && text.trim() !== "{}")
          .map(([name, text]) => (
            <section key={name} aria-label={name}>
              <h3>{name}</h3>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
              <pre tabIndex={0}>{text}</pre>
            </section>
          ))}
      </div>
    </Panel>
  );
}
