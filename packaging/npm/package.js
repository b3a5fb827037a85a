// Writes a package's package.json: package.js launcher|platform VERSION PLATFORM FILE FOLDER
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const [kind, version, platform, file, folder] = process.argv.slice(2);
const platforms = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];

const common = {
  version,
  license: "MIT",
  homepage: "https://github.com/lazuli-storage/lazuli",
  repository: { type: "git", url: "git+https://github.com/lazuli-storage/lazuli.git" },
  bugs: "https://github.com/lazuli-storage/lazuli/issues",
};

function launcher() {
  return {
    name: "lazuli-storage",
    description: "An Azure Storage server for a laptop and for CI: Blob, Data Lake, Queue, Table and File in one small binary",
    keywords: ["azure", "storage", "emulator", "blob", "queue", "table", "azurite", "testing"],
    ...common,
    bin: { lazuli: "bin/lazuli.js", "lazuli-storage": "bin/lazuli.js" },
    files: ["bin", "lazuli.schema.json", "seed.schema.json", "README.md", "LICENSE"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [`@lazuli-storage/${platform}`, version])),
  };
}

function one() {
  const [os, cpu] = platform.split("-");
  return {
    name: `@lazuli-storage/${platform}`,
    description: `The executable of lazuli-storage for ${platform}`,
    ...common,
    os: [os],
    cpu: [cpu],
    files: ["bin", "LICENSE", "THIRD-PARTY-LICENSES.txt"],
    // The executable is started in its place, which Yarn's zipped packages do not have.
    preferUnplugged: true,
  };
}

if (platform && !platforms.includes(platform)) throw new Error(`${platform} is not one of ${platforms.join(", ")}`);
const text = JSON.stringify(kind === "launcher" ? launcher() : one(), null, 2);
fs.writeFileSync(path.join(folder, "package.json"), `${text}\n`);
if (kind === "platform" && !fs.existsSync(path.join(folder, "bin", file))) throw new Error(`${folder} has no bin/${file}`);
