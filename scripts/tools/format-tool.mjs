// Formats the files of a tool that is built: what it answers by itself, and how it finds and loads the parts of its program.
import { createHash } from "node:crypto";
import { escapeText } from "./bundle.mjs";

/** Returns the digest that stands for texts in the names of files. */
export const digestOf = (...texts) =>
  createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 16);

/**
 * Writes the file of a tool for Node. It opens at once what it may read later, since an installation may be replaced
 * under a tool that runs for hours.
 */
export function formatForNode(tool, answer, { digest, answers }, calls) {
  const start = `const fs=process.getBuiltinModule("node:fs");
const words=process.argv.slice(2);
const known=${JSON.stringify(calls.map(wordsOf))};
const call=known.find((name)=>name===words[0]||name===words[0]+"-"+words[1])??known[0];
const {arch,platform,versions}=process;
const path=__dirname+"/parts/${tool}-${digest}-";
let usual,rest;
try{
usual=fs.readFileSync(path+"usual.js","utf8");
rest=fs.openSync(path+"rest.js");
}catch(error){
fs.writeSync(2,"${tool}: error: Cannot read the rest of this program: "+error.message+"\\n${tool}: hint: Install all of it again\\n");
process.exitCode=4;
return;
}
${LAZY}
const need=(name)=>${KNOWN}.includes(name)?require(name):lazy(()=>require(name));
const parts={},loaded={};
const add=(text,name,call)=>{
const options={filename:path+name+".js"};
try{
options.cachedData=fs.readFileSync(path+versions.v8+"-"+platform+"-"+arch+"-"+call);
}catch{}
const script=new (process.getBuiltinModule("node:vm").Script)(text,options);
Object.assign(parts,script.runInThisContext()(need,load,later));
};
const load=(name)=>{
if(!(name in parts))add(fs.readFileSync(rest,"utf8"),"rest","rest");
return loaded[name]??=parts[name]();
};
const later=(name)=>Promise.resolve().then(()=>load(name));
add(usual,"usual",call);
load("main");
`;
  return `#!/usr/bin/env node\n${formatAnswer(answer, answers, "process.argv[2]", start)}`;
}

/** The words that name a command, as part of the name of a file. */
export const wordsOf = ([command]) => command.replace(" ", "-");

/** Writes the modules of a tool for Deno, by their paths. */
export async function formatForDeno(tool, answer, { parts, withNeeded, format }, cut) {
  const usual = withNeeded(cut.usual), rest = parts.filter((name) => !usual.includes(name));
  const texts = [
    `export default ${await format(usual, (name) => cut.usual.includes(name))};\n`,
    `export default ${await format(rest)};\n`,
  ];
  const digest = digestOf(...texts);
  const paths = ["usual", "rest"].map((name) => `parts/${tool}-${digest}-${name}.mjs`);
  const start = `${LAZY}
const need=(name)=>lazy(()=>process.getBuiltinModule(name));
const loaded={},parts={};
const load=(name)=>loaded[name]??=parts[name]();
const add=(module)=>Object.assign(parts,module.default(need,load,later));
const later=async(name)=>{
if(!parts[name])add(await import("./${paths[0]}"));
if(!parts[name])add(await import("./${paths[1]}"));
return load(name);
};
later("main");
`;
  const program = formatAnswer(answer, cut.answers, "Deno.args[0]", start);
  return [
    ...paths.map((path, i) => [path, texts[i]]),
    [`${tool}.mjs`, `#!/usr/bin/env -S deno run -A\n${program}`],
  ];
}

/** Writes a program that answers to help and version by itself, and else runs `start`; `word` is the first one. */
function formatAnswer(answer, { help, version }, word, start) {
  const [helpText, versionText] = [help, version].map((text) => escapeText(JSON.stringify(text)));
  return `const help=${helpText};
const answers={"--help":help,"-h":help,"--version":${versionText}};
const answer=(text)=>{
${answer}return okstra.answer(text);
};
const start=(()=>{
${start}});
if(!Object.hasOwn(answers,${word})||!answer(answers[${word}]))start();
`;
}

/**
 * Loads a module of the runtime when something of it is first used, and not with the part of the program that imports it:
 * that costs 3 ms for node:child_process under Node, and 10 to 20 ms for any under Deno. It has no keys of its own, so
 * that the bundler's wrapper for default imports copies nothing; all named imports are read where they are used.
 */
const LAZY =
  `const lazy=(load)=>new Proxy({},{get:(_,key)=>load()[key],set:(_,key,value)=>Reflect.set(load(),key,value),has:(_,key)=>key in load()});`;

/** Modules that Node has loaded anyway. */
const KNOWN = JSON.stringify(["node:fs", "node:path", "node:process"]);
