// The API reference as Markdown, read from the doc comments of the source: one page for each name that is exported.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Application, Logger, LogLevel } from "typedoc";
import { load as intoMarkdown } from "typedoc-plugin-markdown";
import { root } from "../ensure.mjs";

/** The four entries of the package: what a program imports, and the file of the source that says what is in it. */
export const entries = [
  { name: "millrace", source: "index" },
  { name: "millrace/formats", source: "formats" },
  { name: "millrace/speech", source: "speech" },
  { name: "millrace/recipes", source: "recipes" },
];

/** Writes the reference into a folder; answers what typedoc finds missing in the source. */
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
    // A member says by its name and type what it is; a name that is imported has to say why it is there.
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
  // They are called after their files; a reader knows them by what is imported.
  for (const module of project.children ?? [])
    module.name = entries.find(({ source }) => source === module.name)?.name ?? module.name;
  app.validate(project);
  await app.generateOutputs(project);
  return { warnings: warnings.filter((text) => !isOfMember(text)) };
}

/** `millrace.Writer.write`: a member, whose owner says what it is. */
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
