// An Azure Storage server for tests in Node.js. With node:test, or any other runner:
//
//     const lazuli = await Lazuli.start();
//     beforeEach(() => lazuli.checkpoint());
//     afterEach(() => lazuli.restore());
//     after(() => lazuli.stop());

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Lazuli {
  #process;

  /** A server with --control, by its connection string. */
  constructor(connectionString, process) {
    this.connectionString = connectionString;
    this.#process = process;
    const blob = /BlobEndpoint=([^;]+)/.exec(connectionString)[1];
    this.url = `${new URL(blob).origin}/_lazuli`;
  }

  /** The server that LAZULI_CONNECTION_STRING names, or a process of its own on free ports, in memory. */
  static async start(...flags) {
    const known = process.env.LAZULI_CONNECTION_STRING;
    if (known) return new Lazuli(known);
    const ports = ["blob", "queue", "table", "file"].map((service) => `--${service}-port=0`);
    const command = process.env.LAZULI_BIN ?? "lazuli";
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("LAZULI_")));
    // The end of this process closes the pipe, and the server stops.
    const child = spawn(command, ["--control", "--silent", "--stop-with-stdin", ...ports, ...flags], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const failed = new Promise((_, reject) => {
      const hint = "put lazuli on the path, or name it in LAZULI_BIN";
      child.once("error", (cause) => reject(new Error(`${command} cannot be started: ${hint}`, { cause })));
      child.once("exit", (code) => reject(new Error(`${command} ended with ${code}: its standard error says why`)));
    });
    const ready = (async () => {
      for await (const line of createInterface(child.stdout)) {
        const found = /^Connection string[^:]*: (.*)/.exec(line);
        if (found) return new Lazuli(found[1], child);
      }
      return failed;
    })();
    failed.catch(() => {});
    return Promise.race([ready, failed]);
  }

  /** Stops a server that this object started. */
  async stop() {
    if (!this.#process) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.stdin.end();
    await ended;
  }

  /** Sends a control request, and returns the answer. */
  async control(method, path, document) {
    const body = document === undefined ? undefined : JSON.stringify(document);
    const response = await fetch(this.url + path, { method, body });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error.message}`);
    return answer;
  }

  /** Saves the state of all accounts, and forgets the requests so far. */
  async checkpoint(name = "test") {
    await this.control("POST", `/checkpoints/${name}`);
    await this.control("DELETE", "/requests");
  }

  /** Returns to a checkpoint, and removes all faults. */
  async restore(name = "test") {
    await this.control("DELETE", "/faults");
    await this.control("POST", `/checkpoints/${name}/restore`);
  }

  /** Moves the clock forward: leases, signatures and messages expire without waiting. */
  async advance(seconds) {
    await this.control("POST", `/clock?seconds=${seconds}`);
  }

  /** Adds a fault: `fault({ operation: "Put Blob", times: 1, do: { cut: "after" } })`. */
  async fault(rule) {
    return (await this.control("POST", "/faults", rule)).faults[0].id;
  }

  /** The latest requests that match. With `wait`, waits so many seconds until one does. */
  async requests(filters = {}) {
    return (await this.control("GET", `/requests?${new URLSearchParams(filters)}`)).requests;
  }
}
