// Lists the software of others in the bundled scripts, with its licences.
//
//   node notices.mjs METAFILE... --copied FILE... --apache TEXT
//
// Runs in the folder that has node_modules. Writes notices.txt, which the page links to, and
// components.json, which packaging/components.py reads. METAFILEs are esbuild's: they name the files
// that are in the scripts. --copied files are served as they are; the README next to them names their
// licence. TEXT is the Apache License 2.0, for files whose package does not carry it.
//
// Fails if anything that is bundled has no licence text.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const kPackage = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\/(.+)/;
const kComments = /\/\*[^]*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gm;
const kLegal = /copyright|\(c\)|licen[cs]e/i;
const kRule = "-".repeat(80);

const read = (...path) => readFileSync(join(...path), "utf8").replace(/^\n+|\s+$/g, "");

// The packages whose files are bundled: folder -> comments in these files about licences. A file can
// be a bundle itself; its comments then name the packages that are in it ("@scope/name v1.2.3").
function bundledPackages(metafiles) {
  const packages = new Map();
  const commentsOf = (folder) => packages.get(folder) ?? packages.set(folder, new Set()).get(folder);
  for (const metafile of metafiles) {
    const outputs = Object.values(JSON.parse(read(metafile)).outputs);
    for (const [path, { bytesInOutput }] of outputs.flatMap((o) => Object.entries(o.inputs))) {
      const [, folder] = path.match(kPackage) ?? [];
      if (!folder || bytesInOutput === 0) continue;
      commentsOf(folder);
      for (const [comment] of read(path).matchAll(kComments)) {
        if (!kLegal.test(comment)) continue;
        const [, named] = comment.match(/((?:@[\w.-]+\/)?[\w.-]+) v\d/) ?? [];
        const inner = named && join("node_modules", named);
        commentsOf(inner && existsSync(inner) ? inner : folder)
          .add(comment.trim().replace(/^[ \t]+/gm, ""));
      }
    }
  }
  return packages;
}

function describe(folder) {
  const { name, version, license } = JSON.parse(read(folder, "package.json"));
  if (typeof license !== "string") throw new Error(`${name}: package.json names no licence`);
  return { name, version, licence: license, where: "page",
           url: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

function packageComponent(folder, comments) {
  const component = describe(folder);
  const texts = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .sort().map((name) => read(folder, name));
  if (texts.length === 0) {
    throw new Error(`${component.name} is bundled, but its package has no licence text`);
  }
  // The scripts keep comments with @license or /*!. The others are of files that someone else wrote.
  const others = [...comments].filter((text) => !/@license|@preserve|^\/\*!/.test(text));
  if (others.length > 0) texts.push("Some of its files say:", ...others);
  return { ...component, text: texts.join("\n\n") };
}

function copiedComponent(file, apache) {
  const [, folder, path] = file.match(kPackage);
  let at = dirname(file);
  while (at !== folder && !existsSync(join(at, "README.md"))) at = dirname(at);
  const readme = at === folder ? "" : read(at, "README.md");
  if (!/^## License\s+\[Apache License 2\.0\]/m.test(readme)) {
    throw new Error(`${file} is served, and the README next to it does not say under which licence`);
  }
  const { name, version, url } = describe(folder);
  return { name: path.split("/").pop(), version, licence: "Apache-2.0", where: "page",
           url: `${url}#${path}`, comment: `${readme.match(/^# (.*)/)[1]}, from ${name}`,
           text: read(apache) };
}

function notices(components) {
  const named = new Map();
  for (const { name, version, licence, comment, text } of components) {
    const line = `${name} ${version}, ${licence}${comment ? ` (${comment})` : ""}`;
    named.set(text, [...(named.get(text) ?? []), line]);
  }
  const lines = [...named.values()].flat().map((line) => `  ${line}\n`);
  return [`The page of renderer_sink view contains software of others:\n\n${lines.join("")}`,
          ...[...named].map(([text, list]) => `${kRule}\n${list.join("\n")}\n${kRule}\n\n${text}\n`),
         ].join("\n");
}

const options = { "": [], "--copied": [], "--apache": [] };
let option = "";
for (const argument of process.argv.slice(2)) {
  if (argument in options) option = argument;
  else options[option].push(argument);
}
try {
  const components = [...bundledPackages(options[""])].sort()
    .map(([folder, comments]) => packageComponent(folder, comments));
  components.push(...options["--copied"].map((f) => copiedComponent(f, options["--apache"][0])));
  writeFileSync("notices.txt", notices(components));
  writeFileSync("components.json", JSON.stringify(components, null, 1));
} catch (error) {
  console.error(`notices.mjs: ${error.message}`);
  process.exitCode = 1;
}
