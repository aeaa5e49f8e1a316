// Build the viewer: `npm run build` writes automem/viewer/static, `node build.mjs DIRECTORY` writes elsewhere.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "automem", "viewer", "static");
const BUILD_FILES = [".npmrc", "build.mjs", "package-lock.json", "package.json", "tsconfig.json"];

// A hash over every source, by which a test sees that the committed pages are what these sources give.
async function sourceHash() {
  const names = [...BUILD_FILES, ...(await readdir(join(here, "src"))).map((name) => `src/${name}`)].sort();
  const hash = createHash("sha256");
  for (const name of names) {
    hash.update(`${name}\0`).update(await readFile(join(here, name))).update("\0");
  }
  return hash.digest("hex");
}

// The notices of the packages in the bundle: their licence files, and what their sources say of code they took in.
async function notices(inputs) {
  const found = new Map();
  for (const input of inputs) {
    const inside = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (!inside) continue;
    const text = await readFile(join(here, input), "utf8");
    const taken = (text.match(/\/\*[\s\S]*?\*\//g) ?? []).filter((note) => /copyright|licen[cs]e/i.test(note));
    found.set(inside[1], [...(found.get(inside[1]) ?? []), ...taken]);
  }
  const parts = [];
  for (const [name, taken] of [...found].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const root = join(here, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const licence = (await readdir(root)).find((file) => /^licen[cs]e/i.test(file));
    if (!licence) throw new Error(`${name} has no licence file`);
    const text = await readFile(join(root, licence), "utf8");
    parts.push([`${name} ${version}`, text.trim(), ...new Set(taken)].join("\n\n"));
  }
  return `viewer.js contains these libraries.\n\n${parts.join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}

const banner = `sources sha256:${await sourceHash()}`;
const result = await build({
  absWorkingDir: here,
  entryPoints: { viewer: "src/main.ts" },
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  banner: { js: `/* ${banner}; licences: licenses.txt */` },
  metafile: true,
  write: false,
});
const styles = await build({
  absWorkingDir: here,
  entryPoints: { viewer: "src/viewer.css" },
  outdir: target,
  bundle: true,
  minify: true,
  banner: { css: `/* ${banner} */` },
  write: false,
});

await mkdir(target, { recursive: true });
for (const file of [...result.outputFiles, ...styles.outputFiles]) await writeFile(file.path, file.contents);
const page = await readFile(join(here, "src", "index.html"), "utf8");
await writeFile(join(target, "index.html"), page.replace("<!doctype html>", `<!doctype html>\n<!-- ${banner} -->`));
await writeFile(join(target, "licenses.txt"), await notices(Object.keys(result.metafile.inputs)));
