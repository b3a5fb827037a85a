#!/usr/bin/env node
// Starts the executable of the platform's package with the arguments, the streams and the exit code of this process.
"use strict";

const path = require("node:path");

const PACKAGES = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"];
const platform = `${process.platform}-${process.arch}`;

function executable() {
  if (!PACKAGES.includes(platform)) {
    fail(`there is no package for ${platform}, only for ${PACKAGES.join(", ")}; cargo install lazuli-storage compiles it`);
  }
  const file = process.platform === "win32" ? "lazuli.exe" : "lazuli";
  try {
    return require.resolve(`@lazuli-storage/${platform}/bin/${file}`);
  } catch {
    fail(`the package @lazuli-storage/${platform} is not installed; install lazuli-storage again without --omit=optional (or --no-optional)`);
  }
}

function fail(message) {
  process.stderr.write(`lazuli: ${message}\n`);
  process.exit(1);
}

const program = executable();
// The name that this was started by decides what is served: a link named azurite-blob serves blobs.
const name = path.basename(process.argv[1], ".js");
const parameters = process.argv.slice(2);

// npx starts this by a shell. The end of npx ends that shell and reaches nobody below it, so this process looks after its parent.
const parent = process.env.npm_command === "exec" && process.platform !== "win32" ? process.ppid : 0;

if (!parent && process.platform !== "win32" && typeof process.execve === "function") {
  // The server takes the place of this process, from Node.js 22.15 on: signals need no relay, and no memory stays behind.
  process.execve(program, [name, ...parameters], process.env);
}

// The end of this process closes the pipe, however it ends, and the server stops. If the caller wants that of its own pipe, it is passed on.
const forwards = parameters.some((one) => one.startsWith("--stop-with-stdin")) || "LAZULI_STOP_WITH_STDIN" in process.env;
const child = require("node:child_process").spawn(program, parameters, {
  argv0: name,
  stdio: ["pipe", "inherit", "inherit"],
  env: forwards ? process.env : { ...process.env, LAZULI_STOP_WITH_STDIN: "true" },
});
child.stdin.on("error", () => {}); // the server ended first
if (forwards) process.stdin.pipe(child.stdin);
child.on("error", (error) => fail(`${program} does not start: ${error.message}`));

// The terminal sends its signals to both processes. Others come to this one alone and are passed on; the server decides when to end.
const signals = process.platform === "win32" ? ["SIGINT", "SIGBREAK", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
for (const signal of signals) {
  process.on(signal, () => {
    if (process.platform !== "win32") child.kill(signal);
  });
}
if (parent) {
  setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 250).unref();
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // Ended by a signal: so does this process, so that its parent sees the same.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
