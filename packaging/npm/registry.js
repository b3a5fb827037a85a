// A package registry of the archives in a folder, for the trial of npx: registry.js FOLDER
// Prints its address. A package that is not in the folder is looked up in the public registry.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { execFileSync } = require("node:child_process");

const folder = process.argv[2];
const packages = {};
for (const archive of fs.readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  const file = path.join(folder, archive);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"]));
  const digest = crypto.createHash("sha512").update(fs.readFileSync(file)).digest("base64");
  packages[manifest.name] = { archive, manifest, integrity: `sha512-${digest}` };
}

const server = http.createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  const found = packages[name];
  if (found) {
    const { archive, manifest, integrity } = found;
    const tarball = `http://${request.headers.host}/-/${archive}`;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({
      name,
      "dist-tags": { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist: { tarball, integrity } } },
    }));
  } else if (name.startsWith("-/") && fs.existsSync(path.join(folder, path.basename(name)))) {
    fs.createReadStream(path.join(folder, path.basename(name))).pipe(response);
  } else if (name.startsWith("@lazuli-storage/")) {
    response.writeHead(404).end("{}");
  } else {
    response.writeHead(302, { location: `https://registry.npmjs.org${request.url}` }).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
