// The API reference as Markdown, from the doc comments of the source: one page per exported name.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Application, Logger, LogLevel } from "typedoc";
import { load as intoMarkdown } from "typedoc-plugin-markdown";
import { root } from "../ensure.mjs";

/** The four entries of the package: the import name, and its source file. */
export const entries = [
  { name: "millrace", source: "index" },
  { name: "millrace/formats", source: "formats" },
  { name: "millrace/speech", source: "speech" },
  { name: "millrace/recipes", source: "recipes" },
];

/** Writes the reference into a folder. Returns typedoc's warnings about missing documentation. */
export async function makeReference(out) {
  rmSync(out, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    entryPoints: entries.map(({ source }) => join(root, "src", `${source}.ts`)),
    tsconfig: join(root, "tsconfig.build.json"),
    plugin: [intoMarkdown],
    router: "member",
    // The type check of the project finds those.
    skipErrorChecking: true,
    readme: "none",
    sort: ["alphabetical"],
    out,
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    // Members are explained by their name and type; exported names need a comment.
    requiredToBeDocumented: ["Class", "Interface", "Function", "Variable", "TypeAlias"],
    validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: true },
    hidePageHeader: true,
    hideBreadcrumbs: true,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    propertyMembersFormat: "table",
    typeDeclarationFormat: "table",
    indexFormat: "table",
    useCodeBlocks: true,
    sanitizeComments: true,
    logLevel: "Warn",
  });
  const warnings = [];
  app.logger = new CollectingLogger(warnings);
  const project = await app.convert();
  if (project === undefined) throw new Error(`typedoc cannot read the sources:\n${warnings.join("\n")}`);
  // Modules are named after their files; readers know them by their import name.
  for (const module of project.children ?? [])
    module.name = entries.find(({ source }) => source === module.name)?.name ?? module.name;
  app.validate(project);
  await app.generateOutputs(project);
  return { warnings: warnings.filter((text) => !isOfMember(text)) };
}

/** `millrace.Writer.write`: a member, which its owner documents. */
function isOfMember(warning) {
  return /^millrace[\w/]*\.\w+\.\S+ \((CallSignature|Property)\)/.test(warning);
}

class CollectingLogger extends Logger {
  constructor(warnings) {
    super();
    this.warnings = warnings;
    this.level = LogLevel.Warn;
  }
  addContext(message) {
    return message;
  }
  log(message, level) {
    if (level >= LogLevel.Warn) this.warnings.push(String(message));
  }
}
