// Builds JupyterLab and Notebook 7, without language servers and news, from their
// packages: node build.mjs SOURCE TARGET, where SOURCE is the folder of package.json with
// its node_modules.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [source, target] = process.argv.slice(2).map(folder => resolve(folder));
const require = createRequire(join(source, "package.json"));
const packages = Object.keys(require("./package.json").dependencies).filter(name => name.startsWith("@jupyter"));
const within = (name, path) => join(source, "node_modules", name, path);

// A page is all extensions, with their styles. Notebook 7 takes most of JupyterLab's.
const page = (app, names, without) => `
import { ${app[1]} } from "${app[0]}";
${names.map((name, i) => `import * as extension${i} from "${name}";` + (existsSync(within(name, "style/index.js")) ? `import "${name}/style/index.js";` : "")).join("\n")}
const all = [${names.map((name, i) => name.endsWith("-extension") ? `extension${i}.default,` : "").join("")}].flat();
const app = new ${app[1]}({ mimeExtensions: [{ default: all.filter(plugin => plugin.rendererFactory) }] });
app.registerPlugins(all.filter(plugin => !plugin.rendererFactory && !${without}.test(plugin.id)));
globalThis.jupyterapp = app;
await app.start();
`;
const pages = {
  lab: page(["@jupyterlab/application", "JupyterLab"], packages.filter(name => name.startsWith("@jupyterlab/")), /:(language-server|announcements)$/),
  notebook: page(["@jupyter-notebook/application", "NotebookApp"], packages.filter(name => name !== "@jupyterlab/application"),
    /:(language-server|announcements)$|^@jupyterlab.(application-extension:(?!(commands|context-menu|router)$)|docmanager-extension:opener$|filebrowser-extension:(?!(factory|default-file-browser)$))/),
};
for (const name in pages) writeFileSync(join(source, name + ".js"), pages[name]);

// What the packages expect of a bundler: "~" before the name of a package, and images that
// are text for a script but an address for a style.
const expected = {
  name: "expected",
  setup(build) {
    build.onResolve({ filter: /^~|\.svg(\?.*)?$/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === "found") return;
      const found = await build.resolve(path.replace(/^~|\?.*$/g, ""), { kind, resolveDir, pluginData: "found" });
      return kind === "url-token" ? { ...found, namespace: "address" } : found;
    });
    build.onLoad({ filter: /./, namespace: "address" }, ({ path }) => ({ contents: readFileSync(path), loader: "dataurl" }));
  },
};

rmSync(target, { recursive: true, force: true });
await require("esbuild").build({
  entryPoints: [
    ...Object.keys(pages).map(name => ({ in: join(source, name + ".js"), out: name })),
    ...packages.filter(name => existsSync(within(name, "style/theme.css"))).map(name => ({ in: within(name, "style/theme.css"), out: `themes/${name}/index` })),
  ],
  outdir: target,
  bundle: true,
  format: "esm",
  minify: true,
  logLevel: "error",
  define: { "process.env": "{}", "process.cwd": "String", global: "globalThis" },
  alias: { path: require.resolve("path-browserify") },
  loader: { ".svg": "text", ".md": "text", ".png": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl", ".eot": "dataurl" },
  plugins: [expected],
});
for (const name of packages.filter(name => existsSync(within(name, "schema")))) {
  cpSync(within(name, "schema"), join(target, "schemas", name), { recursive: true });
}
