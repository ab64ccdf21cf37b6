// Stand-in for jsr:@std/path where JSR cannot be reached: the part of its API that these tools use.
// The standard library's functions agree with node:path's; only the two constants are named differently.
export {
  basename,
  dirname,
  extname,
  isAbsolute,
  join,
  normalize,
  relative,
  resolve,
} from "node:path";
export { delimiter as DELIMITER, sep as SEPARATOR } from "node:path";
export { fileURLToPath as fromFileUrl, pathToFileURL as toFileUrl } from "node:url";
