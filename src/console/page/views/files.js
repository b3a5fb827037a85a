// The files and directories of a share.

import { button, bytes, h, icon, plural, time } from "../ui/dom.js";
import { ask, confirmDelete } from "../ui/dialog.js";
import { chooseFiles, dropArea, uploadAll } from "../ui/drop.js";
import { action, blank, frame } from "../ui/frame.js";
import { VirtualList } from "../ui/list.js";
import { attempt, notify } from "../ui/notify.js";
import { editablePairs, hidePane, properties, section, showPane } from "../ui/pane.js";
import * as file from "../storage/file.js";
import { save } from "./blobs.js";
import { EDITABLE, editText, preview } from "./preview.js";
import { sasDialog } from "./sas.js";

export function files(context, account, share, folder) {
  const base = folder ? `${folder.replace(/\/$/, "")}/` : "";
  const pathOf = (row) => base + row.name;
  const href = (path) => context.href(account.name, "file", share, path);
  let prefix = "";

  const send = async (chosen) => {
    const made = new Set();
    // Directories do not come into being with their files, as they do with blobs.
    for (const { path } of chosen) {
      const names = path.split("/").slice(0, -1);
      for (let end = 1; end <= names.length; end++) made.add(names.slice(0, end).join("/"));
    }
    const ready = await attempt(async () => {
      for (const path of made) {
        await file.createDirectory(account.name, share, base + path).catch((error) => {
          if (error.code !== "ResourceAlreadyExists") throw error;
        });
      }
    });
    if (ready) await uploadAll(chosen, (path, content, progress, signal) => file.uploadFile(account.name, share, base + path, content, { type: content.type || undefined, progress, signal }));
    list.reload();
  };
  const choose = () => chooseFiles(send);

  const createDirectory = () =>
    ask({ title: "New directory", fields: [{ name: "name", label: "Name", required: true }], submit: "Create", action: ({ name }) => file.createDirectory(account.name, share, base + name) }).then((done) => done && list.reload());
  const create = () =>
    ask({
      title: "New text file",
      wide: true,
      fields: [{ name: "name", label: "Name", required: true, placeholder: "notes.txt" }, { name: "text", label: "Text", type: "textarea", rows: 12 }],
      submit: "Create",
      action: ({ name, text }) => file.uploadFile(account.name, share, base + name, new Blob([text]), { type: "text/plain; charset=utf-8" }),
    }).then((done) => done && list.reload());

  /** Deletes a file, or a directory from its leaves up: the service deletes empty directories only. */
  async function removePath(path, isFolder) {
    while (isFolder) {
      const { rows } = await file.listFiles(account.name, share, path, { size: 500 });
      if (rows.length === 0) break;
      for (const row of rows) await removePath(`${path}/${row.name}`, row.folder);
    }
    await file.deletePath(account.name, share, path, isFolder);
  }
  const remove = async () => {
    const rows = list.chosen;
    if (rows.length === 0) return;
    const what = rows.length === 1 ? rows[0].name : plural(rows.length, "item");
    const text = rows.some((row) => row.folder) ? "With all that the directories contain." : undefined;
    const run = async () => {
      for (const row of rows) await removePath(pathOf(row), row.folder);
    };
    if (await confirmDelete(what, run, text)) {
      notify(`${what} deleted`);
      hidePane();
      list.reload();
    }
  };
  const download = async () => {
    for (const row of list.chosen.filter((one) => !one.folder)) save(await file.fileUrl(account.name, share, pathOf(row)), row.name);
  };
  const edit = async () => {
    const row = list.selected;
    if (!row || row.folder) return;
    if (Number(row.properties["Content-Length"]) > EDITABLE) return notify("This file is too large to be edited here");
    await attempt(async () => {
      const { text } = await file.fileText(account.name, share, pathOf(row));
      const done = await editText(row.name, text, (next) => file.replaceFileText(account.name, share, pathOf(row), next));
      if (done) {
        notify("Saved");
        await refresh();
        if (list.selected) select(list.selected);
      }
    });
  };

  const select = (row) => {
    const path = pathOf(row);
    const actions = row.folder
      ? [button("Open", () => (location.hash = href(path)), { icon: "folder", kind: "primary" })]
      : [
          button("Download", download, { icon: "download", kind: "primary" }),
          button("Edit", edit, { icon: "edit", title: "Edit as text (e)" }),
          button("SAS", () => sasDialog(context, account, { service: "file", resource: [share, path] }), { icon: "key" }),
        ];
    actions.push(button("Delete", remove, { icon: "trash", kind: "danger-quiet" }));
    showPane({ icon: icon(row.folder ? "folder" : "file", 20), title: row.name, subtitle: row.folder ? "directory" : undefined, actions }, async (add, current) => {
      const { headers, metadata } = await file.fileProperties(account.name, share, path, row.folder);
      if (!current()) return;
      const size = Number(headers["content-length"]);
      if (!row.folder) add(await preview({ name: row.name, type: headers["content-type"], size, read: (length) => file.fileStart(account.name, share, path, length), url: () => file.fileUrl(account.name, share, path) }));
      add(
        section("Properties", properties([["Path", path], ["URL", `${account.endpoints.file}/${share}/${path}`], ["Size", !row.folder && `${bytes(size)}`], ["Content type", headers["content-type"]], ["Attributes", headers["x-ms-file-attributes"]], ["Created", time(headers["x-ms-file-creation-time"])], ["Last write", time(headers["x-ms-file-last-write-time"])], ["Changed", time(headers["x-ms-file-change-time"])], ["Modified", time(headers["last-modified"])], ["File id", headers["x-ms-file-id"]], ["Permission key", headers["x-ms-file-permission-key"]], ["Lease", headers["x-ms-lease-state"]], ["ETag", headers.etag]].filter(([, value]) => value !== false))),
        section("Metadata", editablePairs(Object.entries(metadata), (entries) => file.setFileMetadata(account.name, share, path, row.folder, Object.fromEntries(entries))), { open: Object.keys(metadata).length > 0 }),
      );
    });
  };

  const nameCell = (row) =>
    h("span", { class: "named" }, icon(row.folder ? "folder" : "file"), h("span", { class: "ellipsis", title: row.name }, row.folder ? h("a", { href: href(pathOf(row)), tabIndex: -1 }, row.name) : row.name));
  const empty = () =>
    prefix
      ? blank(`Nothing begins with “${prefix}”`)
      : blank(base ? "This directory is empty" : "This share is empty", "Drop files here, choose them, or create a directory.", button("Upload files", choose, { icon: "upload", kind: "primary" }), button("New directory", createDirectory, { icon: "folder" }));
  const list = new VirtualList({
    label: `Files of ${share}`,
    noun: "item",
    columns: [
      { label: "Name", width: "minmax(0, 1fr)", cell: nameCell },
      { label: "Size", width: "92px", end: true, cell: (row) => (row.folder ? "" : bytes(row.properties["Content-Length"])) },
      { label: "Last write", width: "152px", wide: true, cell: (row) => time(row.properties.LastWriteTime) },
      { label: "Created", width: "152px", wide: true, cell: (row) => time(row.properties.CreationTime) },
    ],
    load: ({ marker }) => file.listFiles(account.name, share, base, { prefix, marker }),
    onselect: select,
    onopen: (row) => (row.folder ? (location.hash = href(pathOf(row))) : select(row)),
    empty,
    marks: true,
  });
  const refresh = () => list.reload((row) => row.name === list.selected?.name);
  const segments = base.split("/").filter(Boolean);
  const { element } = frame({
    crumbs: [[account.name, context.href(account.name)], ["File shares", context.href(account.name, "file")], [share, context.href(account.name, "file", share)], ...segments.map((name, at) => [name, href(segments.slice(0, at + 1).join("/"))])],
    actions: [action("Delete", "trash", remove, "d", "quiet"), action("Download", "download", download, undefined, "quiet"), action("Refresh", "refresh", refresh, "r", "quiet"), action("New directory", "folder", createDirectory, undefined, "quiet"), action("New", "plus", create, "n"), action("Upload", "upload", choose, "u", "primary")],
    filter: { placeholder: "Names that begin with…", onfilter: (text) => ((prefix = text), list.reload()) },
    content: list.element,
  });
  dropArea(element, send);
  list.reload();
  return { title: segments.at(-1) ?? share, element, list, keys: { n: create, u: choose, e: edit, d: remove, Delete: remove, r: refresh }, dispose: () => list.dispose() };
}
