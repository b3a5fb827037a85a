// The blobs of a container. In an account with a hierarchical namespace, also owners, permissions and access control lists.

import { button, bytes, copy, h, icon, plural, time } from "../ui/dom.js";
import { ask, confirmDelete, field } from "../ui/dialog.js";
import { chooseFiles, dropArea, uploadAll } from "../ui/drop.js";
import { action, blank, frame, toggle } from "../ui/frame.js";
import { VirtualList } from "../ui/list.js";
import { attempt, notify } from "../ui/notify.js";
import { editablePairs, hidePane, properties, section, showPane } from "../ui/pane.js";
import * as blob from "../storage/blob.js";
import * as lake from "../storage/lake.js";
import { accessSection } from "./access.js";
import { EDITABLE, editText, preview } from "./preview.js";
import { sasDialog } from "./sas.js";

const TIERS = ["Hot", "Cool", "Cold", "Archive"];

/** Follows a link to a URL that the browser saves. */
export function save(url, name) {
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

export function blobs(context, account, container, folder) {
  const hns = account.options.includes("hns");
  const versioning = account.options.some((option) => ["versioning", "immutability"].includes(option));
  const base = folder && !folder.endsWith("/") ? `${folder}/` : folder;
  let typed = "";
  let folders = true;
  let deleted = false;
  let states = false;

  // Lists

  async function load({ marker }) {
    // The Data Lake API lists directories with their owners, and has no filter.
    if (hns && folders && !typed && !deleted && !states) {
      const page = await lake.listPaths(account.name, container, base.replace(/\/$/, ""), { marker });
      const rows = page.rows.map((path) => ({
        name: path.folder ? `${path.name}/` : path.name,
        folder: path.folder,
        owner: path.owner,
        permissions: path.permissions,
        properties: { "Content-Length": path.contentLength, "Last-Modified": path.lastModified, Etag: path.etag },
      }));
      return { rows, next: page.next };
    }
    const include = [deleted && "deleted", states && "snapshots", states && versioning && "versions"].filter(Boolean).join(",");
    return blob.listBlobs(account.name, container, { prefix: base + typed, marker, delimiter: folders ? "/" : undefined, include, size: marker ? 5000 : 1000 });
  }

  const shortName = (row) => row.name.slice(base.length) || row.name;
  const which = (row) => ({ snapshot: row.snapshot, version: row.version, current: row.current });
  const isPast = (row) => Boolean(row.snapshot || (versioning && row.version && !row.current));
  const href = (path) => context.href(account.name, "blob", container, path.replace(/\/$/, ""));

  function nameCell(row) {
    const label = row.folder ? h("a", { href: href(row.name), tabIndex: -1 }, shortName(row)) : shortName(row);
    const tags = [
      row.deleted && h("span", { class: "tag warn" }, "deleted"),
      row.snapshot && h("span", { class: "tag", title: row.snapshot }, "snapshot"),
      !row.snapshot && isPast(row) && h("span", { class: "tag", title: row.version }, "version"),
    ];
    return h("span", { class: "named" }, icon(row.folder ? "folder" : "file"), h("span", { class: "ellipsis", title: row.name }, label), tags);
  }

  const columns = [
    { label: "Name", width: "minmax(0, 1fr)", cell: nameCell },
    hns && { label: "Owner", width: "120px", wide: true, cell: (row) => row.owner ?? "" },
    hns && { label: "Permissions", width: "108px", wide: true, class: "code", cell: (row) => row.permissions ?? "" },
    !hns && { label: "Type", width: "156px", wide: true, cell: (row) => row.properties["Content-Type"] ?? "" },
    !hns && { label: "Tier", width: "72px", wide: true, cell: (row) => (row.properties.BlobType === "BlockBlob" ? (row.properties.AccessTier ?? "") : (row.properties.BlobType?.replace("Blob", " blob") ?? "")) },
    { label: "Size", width: "92px", end: true, cell: (row) => (row.folder ? "" : bytes(row.properties["Content-Length"])) },
    { label: "Modified", width: "152px", wide: true, cell: (row) => time(row.properties["Last-Modified"]) },
  ].filter(Boolean);

  // Actions

  const refresh = () => list.reload((row) => list.selected && row.name === list.selected.name && row.snapshot === list.selected.snapshot && row.version === list.selected.version);

  const send = async (files) => {
    await uploadAll(files, (path, file, progress, signal) => blob.upload(account.name, container, base + path, file, { type: file.type || undefined, progress, signal }));
    list.reload();
  };
  const choose = () => chooseFiles(send);

  const create = () =>
    ask({
      title: "New text blob",
      wide: true,
      fields: [
        { name: "name", label: "Name", required: true, placeholder: "notes.txt" },
        { name: "type", label: "Content type", value: "text/plain; charset=utf-8" },
        { name: "text", label: "Text", type: "textarea", rows: 12 },
      ],
      submit: "Create",
      action: ({ name, type, text }) => blob.upload(account.name, container, base + name, new Blob([text]), { type, headers: { "if-none-match": "*" } }),
    }).then((done) => done && list.reload());

  const createDirectory = () =>
    ask({
      title: "New directory",
      fields: [{ name: "name", label: "Name", required: true }],
      submit: "Create",
      action: ({ name }) => lake.createDirectory(account.name, container, base + name),
    }).then((done) => done && list.reload());

  async function removeOne(row) {
    if (hns) return lake.deletePath(account.name, container, row.name.replace(/\/$/, ""), row.folder);
    if (!row.folder) return blob.deleteBlob(account.name, container, row.name, isPast(row) ? which(row) : {});
    // A folder is the common start of names: each of its blobs is deleted.
    for (let marker, again = true; again; again = Boolean(marker)) {
      const page = await blob.listBlobs(account.name, container, { prefix: row.name, marker, size: 500 });
      await Promise.all(page.rows.map((one) => blob.deleteBlob(account.name, container, one.name)));
      marker = page.next;
    }
  }

  const remove = async () => {
    const rows = list.chosen.filter((row) => !row.deleted);
    if (rows.length === 0) return;
    const what = rows.length === 1 ? shortName(rows[0]) : plural(rows.length, "item");
    const text = rows.some((row) => row.folder) ? "With all that the folders contain." : undefined;
    if (await confirmDelete(what, () => Promise.all(rows.map(removeOne)), text)) {
      notify(`${what} deleted`);
      hidePane();
      list.reload();
    }
  };

  const undelete = async (row) => {
    if (await attempt(() => blob.undelete(account.name, container, row.name), `${shortName(row)} restored`)) {
      hidePane();
      list.reload();
    }
  };

  const download = async () => {
    for (const row of list.chosen.filter((one) => !one.folder && !one.deleted)) {
      save(await blob.blobUrl(account.name, container, row.name, which(row)), row.name.split("/").at(-1));
    }
  };

  const edit = async () => {
    const row = list.selected;
    if (!row || row.folder || row.deleted || isPast(row)) return;
    if (Number(row.properties["Content-Length"]) > EDITABLE) return notify("This blob is too large to be edited here");
    await attempt(async () => {
      const { text, etag } = await blob.blobText(account.name, container, row.name);
      const done = await editText(row.name, text, (next) => blob.replaceText(account.name, container, row.name, next, etag));
      if (done) {
        notify("Saved");
        await refresh();
        if (list.selected) select(list.selected);
      }
    });
  };

  const rename = (row) =>
    ask({
      title: `Rename ${shortName(row)}`,
      fields: [{ name: "to", label: "New path", value: row.name.replace(/\/$/, ""), required: true }],
      submit: "Rename",
      action: ({ to }) => lake.rename(account.name, container, row.name.replace(/\/$/, ""), to),
    }).then((done) => done && (hidePane(), list.reload()));

  // The pane

  function selectFolder(row) {
    const path = row.name.replace(/\/$/, "");
    const actions = [
      button("Open", () => (location.hash = href(row.name)), { icon: "folder", kind: "primary" }),
      hns && button("Rename", () => rename(row), { icon: "edit" }),
      button("Delete", remove, { icon: "trash", kind: "danger-quiet" }),
    ].filter(Boolean);
    showPane({ icon: icon("folder", 20), title: shortName(row), subtitle: hns ? "directory" : "folder: the common start of names", actions }, (add) => {
      add(section("Properties", properties([["Path", path], ["Owner", row.owner], ["Permissions", row.permissions], ["Modified", time(row.properties["Last-Modified"])]])));
      if (hns) add(accessSection(account, container, path, true, lake));
    });
  }

  function select(row) {
    if (row.folder) return selectFolder(row);
    const state = which(row);
    const past = isPast(row);
    const subtitle = row.deleted ? "deleted" : row.snapshot ? `snapshot ${time(row.snapshot)}` : past ? `version ${time(row.version)}` : undefined;
    const actions = row.deleted
      ? [button("Undelete", () => undelete(row), { icon: "restore", kind: "primary" })]
      : [
          button("Download", download, { icon: "download", kind: "primary" }),
          !past && button("Edit", edit, { icon: "edit", title: "Edit as text (e)" }),
          past && button("Make current", () => promote(row), { icon: "restore" }),
          !past && !hns && button("Snapshot", () => takeSnapshot(row), { icon: "camera" }),
          hns && !past && button("Rename", () => rename(row), { icon: "edit" }),
          button("SAS", () => sasDialog(context, account, { service: "blob", resource: [container, row.name] }), { icon: "key" }),
          button("Delete", remove, { icon: "trash", kind: "danger-quiet" }),
        ].filter(Boolean);
    showPane({ icon: icon("file", 20), title: shortName(row), subtitle, actions }, async (add, current) => {
      if (row.deleted) {
        add(section("Properties", properties([["Name", row.name], ["Deleted", time(row.properties.DeletedTime)], ["Days until removed", row.properties.RemainingRetentionDays], ["Size", bytes(row.properties["Content-Length"])], ["Type", row.properties["Content-Type"]]])));
        return;
      }
      const { headers, metadata } = await blob.blobProperties(account.name, container, row.name, state);
      if (!current()) return;
      const size = Number(headers["content-length"]);
      const archived = headers["x-ms-access-tier"] === "Archive";
      add(
        archived
          ? h("p", { class: "hint" }, "The content is archived. Another tier makes it readable.")
          : await preview({ name: row.name, type: headers["content-type"], size, read: (length) => blob.blobStart(account.name, container, row.name, length, state), url: () => blob.blobUrl(account.name, container, row.name, state) }),
      );
      add(section("Properties", h("div", {}, properties(propertiesOf(row, headers, size)), !past && h("div", { class: "section-foot" }, button("Edit properties", () => editProperties(row, headers), { kind: "small" })))));
      if (hns && !past) add(accessSection(account, container, row.name, false, lake));
      if (!past && headers["x-ms-blob-type"] === "BlockBlob") add(tierSection(row, headers["x-ms-access-tier"]));
      add(section("Metadata", editablePairs(Object.entries(metadata), (entries) => blob.setMetadata(account.name, container, row.name, Object.fromEntries(entries))), { open: Object.keys(metadata).length > 0, count: Object.keys(metadata).length || "" }));
      if (!past && !hns) add(tagSection(row, Number(headers["x-ms-tag-count"] ?? 0)));
      if (!hns) add(historySection(row));
    });
  }

  const propertiesOf = (row, headers, size) => [
    ["Name", row.name],
    ["URL", `${account.endpoints.blob}/${container}/${row.name}`],
    ["Size", `${bytes(size)}${size >= 1024 ? ` (${plural(size, "byte")})` : ""}`],
    ["Content type", headers["content-type"]],
    ["Content encoding", headers["content-encoding"]],
    ["Content language", headers["content-language"]],
    ["Content disposition", headers["content-disposition"]],
    ["Cache control", headers["cache-control"]],
    ["Content MD5", headers["content-md5"]],
    ["Blob type", headers["x-ms-blob-type"]],
    ["Created", time(headers["x-ms-creation-time"])],
    ["Modified", time(headers["last-modified"])],
    ["Last access", time(headers["x-ms-last-access-time"])],
    ["ETag", headers.etag],
    ["Lease", headers["x-ms-lease-state"]],
    ["Owner", headers["x-ms-owner"]],
    ["Version", headers["x-ms-version-id"]],
    ["Copied from", headers["x-ms-copy-source"]?.replace(/\?.*/, "")],
    ["Copy status", headers["x-ms-copy-status"]],
    ["Immutable until", time(headers["x-ms-immutability-policy-until-date"])],
    ["Legal hold", headers["x-ms-legal-hold"]],
    ["Encryption scope", headers["x-ms-encryption-scope"]],
  ];

  const editProperties = (row, headers) => {
    const names = [["content-type", "Content type"], ["content-encoding", "Content encoding"], ["content-language", "Content language"], ["content-disposition", "Content disposition"], ["cache-control", "Cache control"]];
    return ask({
      title: `Properties of ${shortName(row)}`,
      fields: names.map(([name, label]) => ({ name, label, value: headers[name] ?? "" })),
      action: (values) => blob.setProperties(account.name, container, row.name, values),
    }).then((done) => done && (select(row), refresh()));
  };

  const tierSection = (row, tier) => {
    const select = field({ name: "tier", label: "Access tier", type: "select", options: TIERS.map((one) => [one, one]), value: tier });
    select.querySelector("select").addEventListener("change", async (event) => {
      await attempt(() => blob.setTier(account.name, container, row.name, event.target.value), "Tier set");
      refresh();
    });
    return section("Tier", select, { open: false });
  };

  const tagSection = (row, count) =>
    section("Tags", undefined, {
      open: count > 0,
      count: count || "",
      fill: async (body) => {
        const tags = count > 0 ? await blob.blobTags(account.name, container, row.name) : [];
        body.append(editablePairs(tags, (entries) => blob.setTags(account.name, container, row.name, entries), { name: "Tag", add: "Add a tag" }));
      },
    });

  const takeSnapshot = async (row) => {
    if (await attempt(() => blob.snapshot(account.name, container, row.name), "Snapshot created")) select(row);
  };
  // The source of a copy is a URL of this server that it recognizes by its port.
  const own = () => {
    const { port } = context.server.services.find(({ name }) => name === "blob");
    return `${context.server.tls ? "https" : "http"}://127.0.0.1:${port}/${account.name}`;
  };
  const promote = async (row) => {
    if (await attempt(() => blob.promote(account.name, container, row.name, which(row), own()), "This state is current now")) {
      hidePane();
      list.reload();
    }
  };

  const historySection = (row) =>
    section(versioning ? "Versions and snapshots" : "Snapshots", undefined, {
      open: true,
      fill: async (body) => {
        const states = await blob.history(account.name, container, row.name, versioning ? "snapshots,versions" : "snapshots");
        const others = states.filter((one) => one.snapshot !== row.snapshot || one.version !== row.version);
        const line = (one) =>
          h(
            "li",
            {},
            h("button", { type: "button", class: "value", onclick: () => select(one) }, time(one.snapshot ?? one.version ?? one.properties["Last-Modified"])),
            h("span", { class: "tag" }, one.snapshot ? "snapshot" : isPast(one) ? "version" : "current"),
            h("span", { class: "dim" }, bytes(one.properties["Content-Length"])),
          );
        body.append(others.length > 0 ? h("ul", { class: "history" }, others.map(line)) : h("p", { class: "hint" }, "None."));
      },
    });

  // The view

  const segments = base.split("/").filter(Boolean);
  const crumbs = [
    [account.name, context.href(account.name)],
    ["Blob containers", context.href(account.name, "blob")],
    [container, context.href(account.name, "blob", container)],
    ...segments.map((name, at) => [name, href(segments.slice(0, at + 1).join("/"))]),
  ];
  const open = (row) => (row.folder ? (location.hash = href(row.name)) : select(row));
  const empty = () =>
    typed
      ? blank(`No blob begins with “${base}${typed}”`)
      : blank(segments.length > 0 ? "This folder is empty" : "This container is empty", "Drop files here, choose them, or write a text.", button("Upload files", choose, { icon: "upload", kind: "primary" }), button("New text blob", create, { icon: "plus" }));
  const list = new VirtualList({
    label: `Blobs of ${container}`,
    noun: "item",
    columns,
    load,
    onselect: select,
    onopen: open,
    empty,
    marks: true,
    klass: (row) => (row.deleted ? "is-deleted" : isPast(row) ? "is-past" : ""),
  });
  const reload = () => (hidePane(), list.reload());
  const { element } = frame({
    crumbs,
    actions: [
      action("Delete", "trash", remove, "d", "quiet"),
      action("Download", "download", download, undefined, "quiet"),
      action("Refresh", "refresh", refresh, "r", "quiet"),
      hns ? action("New directory", "folder", createDirectory, undefined, "quiet") : button("Copy URL", () => copy(`${account.endpoints.blob}/${container}/${base}`, "URL copied"), { icon: "copy", kind: "quiet" }),
      action("New", "plus", create, "n"),
      action("Upload", "upload", choose, "u", "primary"),
    ],
    filter: { placeholder: "Names that begin with…", onfilter: (text) => ((typed = text), list.reload()) },
    toggles: [
      toggle("Folders", folders, (on) => ((folders = on), reload()), "Show / in names as folders"),
      !hns && toggle("History", states, (on) => ((states = on), reload()), "Also show snapshots and earlier versions"),
      !hns && toggle("Deleted", deleted, (on) => ((deleted = on), reload()), "Also show deleted blobs that can be restored"),
    ].filter(Boolean),
    content: list.element,
  });
  dropArea(element, send);
  list.reload();
  return { title: segments.at(-1) ?? container, element, list, keys: { n: create, u: choose, e: edit, d: remove, Delete: remove, r: refresh }, dispose: () => list.dispose() };
}
