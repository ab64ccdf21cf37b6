// Reads what the checks need to know from TypeScript sources, with the compiler's own parser.
import { API } from "typescript/unstable/sync";
import * as ts from "typescript/unstable/ast";
import { relative, resolve } from "node:path";

/** One `import`, `export … from`, `import()` or `import type` of a file. */
export interface Import {
  readonly specifier: string;
  /** The imported names, for named imports; empty for the rest. */
  readonly names: readonly string[];
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A use of a name that the rules speak of, such as `Deno` or `process.env`. */
export interface Use {
  readonly text: string;
  readonly line: number;
}

/** What one file says. */
export interface SourceFacts {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly imports: readonly Import[];
  readonly uses: readonly Use[];
  /** The texts of string and template literals; a substitution in a template reads as `${}`. */
  readonly texts: readonly { readonly text: string; readonly line: number }[];
}

const GLOBAL_OBJECTS = new Set(["process", "console", "Math", "Date", "crypto", "performance"]);

/** Reads every source that `root/tsconfig.json` includes, in path order. */
export function readSourceFacts(root: string): SourceFacts[] {
  const api = new API({ cwd: root });
  try {
    const config = resolve(root, "tsconfig.json");
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`Cannot read the sources: ${config} is no project`);
    return project.rootFiles.toSorted().map((file) => {
      const source = project.program.getSourceFile(file);
      if (source === undefined) {
        throw new Error(`Cannot parse ${file}: the compiler has no such file`);
      }
      return readFacts(source, relative(root, file).replaceAll("\\", "/"));
    });
  } finally {
    api.close();
  }
}

function readFacts(source: ts.SourceFile, path: string): SourceFacts {
  const imports: Import[] = [];
  const uses: Use[] = [];
  const texts: { text: string; line: number }[] = [];
  const lineOf = (node: ts.Node): number =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

  const visit = (node: ts.Node): void => {
    const found = readImport(node);
    if (found !== null) imports.push({ ...found, line: lineOf(node) });
    const use = readUse(node);
    if (use !== null) uses.push({ text: use, line: lineOf(node) });
    const text = readText(node);
    if (text !== null) texts.push({ text, line: lineOf(node) });
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return { path, imports, uses, texts };
}

function readImport(node: ts.Node): Omit<Import, "line"> | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.importClause;
    const bindings = clause?.namedBindings;
    const names = bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.map((element) => (element.propertyName ?? element.name).text)
      : [];
    const typeOnly = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: node.moduleSpecifier.text, names, typeOnly };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    if (!ts.isStringLiteral(node.moduleSpecifier)) return null;
    return { specifier: node.moduleSpecifier.text, names: [], typeOnly: node.isTypeOnly };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const argument = node.arguments[0];
    const specifier = argument !== undefined && ts.isStringLiteral(argument) ? argument.text : "";
    return { specifier, names: [], typeOnly: false };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const literal = node.argument.literal;
    if (!ts.isStringLiteral(literal)) return null;
    return { specifier: literal.text, names: [], typeOnly: true };
  }
  return null;
}

function readUse(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const object = node.expression.text;
    if (object === "Deno") return "Deno";
    if (object === "globalThis") return node.name.text === "Deno" ? "Deno" : null;
    return GLOBAL_OBJECTS.has(object) ? `${object}.${node.name.text}` : null;
  }
  if (ts.isTypeOfExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text === "Deno" ? "Deno" : null;
  }
  if (ts.isQualifiedName(node) && ts.isIdentifier(node.left) && node.left.text === "Deno") {
    return "Deno";
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text === "Date" && (node.arguments?.length ?? 0) === 0
      ? "new Date()"
      : null;
  }
  return null;
}

function readText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => "${}" + span.literal.text).join("");
}
