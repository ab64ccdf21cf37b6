// Reads what the checks need to know from TypeScript sources, with the compiler's own parser.
import { API } from "typescript/unstable/sync";
import * as ts from "typescript/unstable/ast";
import { relative, resolve } from "node:path";

/** One `import`, `export … from`, `import()` or `import type` of a file. */
export interface Import {
  readonly specifier: string;
  /** The names as the imported module has them; `default` for that one, `*` for all of them at once. */
  readonly names: readonly string[];
  /** What the file calls the module or its default; empty if it has no name for it. */
  readonly alias: string;
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
  /** Names of tests; a substitution in one reads as `${}`, and the texts of the table that it comes from are here, too. */
  readonly testNames: readonly { readonly text: string; readonly line: number }[];
}

const TEST_CALLS = new Set(["it", "describe"]);
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
  const testNames: { text: string; line: number }[] = [];
  const lineOf = (node: ts.Node): number =>
    source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

  const variables = new Map<string, ts.Expression>();
  const visit = (node: ts.Node, tables: readonly ts.Expression[]): void => {
    const found = readImport(node);
    if (found !== null) imports.push({ ...found, line: lineOf(node) });
    for (const use of readUses(node)) uses.push({ text: use, line: lineOf(node) });
    const variable = readVariable(node);
    if (variable !== null) variables.set(...variable);
    const name = readTestName(node);
    if (name !== null) {
      const isOfTable = readText(name)?.includes("${}") ?? true;
      for (const text of readTexts([name, ...isOfTable ? tables : []], variables)) {
        testNames.push({ text, line: lineOf(node) });
      }
    }
    const within = ts.isForOfStatement(node) ? [...tables, node.expression] : tables;
    node.forEachChild((child) => visit(child, within));
  };
  source.forEachChild((child) => visit(child, []));
  return { path, imports, uses, testNames };
}

function readImport(node: ts.Node): Omit<Import, "line"> | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const clause = node.importClause;
    const bindings = clause?.namedBindings;
    const names = bindings === undefined
      ? []
      : ts.isNamedImports(bindings)
      ? bindings.elements.map((element) => (element.propertyName ?? element.name).text)
      : ["*"];
    const named = bindings !== undefined && ts.isNamespaceImport(bindings) ? bindings.name : null;
    const own = clause?.name ?? named;
    return {
      specifier: node.moduleSpecifier.text,
      names: clause?.name === undefined ? names : ["default", ...names],
      alias: own?.text ?? "",
      typeOnly: clause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    if (!ts.isStringLiteral(node.moduleSpecifier)) return null;
    const clause = node.exportClause;
    const names = clause !== undefined && ts.isNamedExports(clause)
      ? clause.elements.map((element) => (element.propertyName ?? element.name).text)
      : ["*"];
    return {
      specifier: node.moduleSpecifier.text,
      names,
      alias: "",
      typeOnly: node.isTypeOnly,
    };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const argument = node.arguments[0];
    const specifier = argument !== undefined && ts.isStringLiteral(argument) ? argument.text : "";
    return { specifier, names: ["*"], alias: "", typeOnly: false };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const literal = node.argument.literal;
    if (!ts.isStringLiteral(literal)) return null;
    return { specifier: literal.text, names: [], alias: "", typeOnly: true };
  }
  return null;
}

function readUses(node: ts.Node): readonly string[] {
  if (ts.isPropertyAccessExpression(node)) return useOf(node.expression, node.name.text);
  if (ts.isElementAccessExpression(node)) {
    const key = node.argumentExpression;
    return useOf(node.expression, ts.isStringLiteral(key) ? key.text : "*");
  }
  if (ts.isVariableDeclaration(node) && node.initializer !== undefined) {
    if (!ts.isObjectBindingPattern(node.name)) {
      return ts.isIdentifier(node.name) ? useOf(node.initializer, "*") : [];
    }
    return node.name.elements.flatMap((element) => {
      const key = element.propertyName ?? element.name;
      const isRest = element.dotDotDotToken !== undefined || key === undefined;
      return useOf(node.initializer!, !isRest && ts.isIdentifier(key) ? key.text : "*");
    });
  }
  if (ts.isTypeOfExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text === "Deno" ? ["Deno"] : [];
  }
  if (ts.isQualifiedName(node) && ts.isIdentifier(node.left) && node.left.text === "Deno") {
    return ["Deno"];
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    return node.expression.text === "Date" && (node.arguments?.length ?? 0) === 0
      ? ["new Date()"]
      : [];
  }
  return [];
}

/** What it is to take a property, or `*`, of an object. */
function useOf(object: ts.Expression, property: string): readonly string[] {
  if (!ts.isIdentifier(object)) return [];
  if (object.text === "Deno") return ["Deno"];
  if (object.text === "globalThis") {
    if (property === "Deno") return ["Deno"];
    return property === "process" || property === "*" ? [`globalThis.${property}`] : [];
  }
  return GLOBAL_OBJECTS.has(object.text) ? [`${object.text}.${property}`] : [];
}

/** The name that a test, or a group of them, is given. */
function readTestName(node: ts.Node): ts.Expression | null {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return null;
  return TEST_CALLS.has(node.expression.text) ? node.arguments[0] ?? null : null;
}

function readVariable(node: ts.Node): [string, ts.Expression] | null {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return null;
  return node.initializer === undefined ? null : [node.name.text, node.initializer];
}

/** The texts in expressions, and in what the variables stand for that they name. */
function readTexts(
  expressions: readonly ts.Expression[],
  variables: ReadonlyMap<string, ts.Expression>,
): string[] {
  const texts: string[] = [], seen = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const text = readText(node);
    if (text !== null) texts.push(text);
    const value = ts.isIdentifier(node) ? variables.get(node.text) : undefined;
    if (value !== undefined) visit(value);
    node.forEachChild(visit);
  };
  for (const each of expressions) visit(each);
  return texts;
}

function readText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => "${}" + span.literal.text).join("");
}
