import type { Session } from "node:inspector";

// The global variable through which the inspector passes a value to this module.
const handover: unique symbol = Symbol.for("millrace.private-fields");
const global: { [handover]?: unknown } = globalThis as object;

/**
 * The private fields of an object, such as `#examples`. Only code of its class can read them, but the inspector of this
 * process shows them. Undefined if the inspector is not available.
 */
export function privateFields(object: object): Map<string, unknown> | undefined {
  let session: Session;
  try {
    // Not imported: only providers with private fields need it.
    const inspector = process.getBuiltinModule("node:inspector");
    session = new inspector.Session();
    session.connect();
  } catch {
    // Node.js was built without the inspector, or it is not permitted.
    return undefined;
  }
  try {
    return readFields(session, object);
  } finally {
    delete global[handover];
    session.disconnect();
  }
}

interface RemoteValue {
  readonly type: string;
  readonly objectId?: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
}

function readFields(session: Session, object: object): Map<string, unknown> {
  global[handover] = object;
  const expression = 'globalThis[Symbol.for("millrace.private-fields")]';
  const { result } = ask<{ result: RemoteValue }>(session, "Runtime.evaluate", { expression });
  const { objectId } = result;
  const answer = ask<{ privateProperties?: { name: string; value?: RemoteValue }[] }>(
    session,
    "Runtime.getProperties",
    {
      objectId,
      ownProperties: true,
    },
  );
  const fields = new Map<string, unknown>();
  for (const { name, value } of answer.privateProperties ?? []) {
    // Accessors and methods have no value; they are the same in every object of the class.
    if (value === undefined || value.type === "function") continue;
    fields.set(freeName(fields, name), takeValue(session, value));
  }
  return fields;
}

/** A name that is not used yet: two classes of one object may have private fields of the same name. */
function freeName(fields: ReadonlyMap<string, unknown>, name: string): string {
  let free = name;
  for (let i = 2; fields.has(free); i++) free = `${name} (${i})`;
  return free;
}

function takeValue(session: Session, { type, objectId, value, unserializableValue }: RemoteValue): unknown {
  if (objectId === undefined) return unserializableValue === undefined ? value : `${type} ${unserializableValue}`;
  const functionDeclaration = `function () { globalThis[Symbol.for("millrace.private-fields")] = this; }`;
  ask(session, "Runtime.callFunctionOn", { objectId, functionDeclaration });
  return global[handover];
}

// Within one process the inspector answers before `post` returns.
function ask<Answer>(session: Session, method: string, params: object): Answer {
  let answer: unknown;
  session.post(method, params, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer as Answer;
}
