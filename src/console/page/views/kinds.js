// The four kinds of resources that an account has: how each is listed, created, described and deleted.

import { bytes, number, time } from "../ui/format.js"
import { foot, metadataSection, properties, returned, section } from "../ui/pane.js"
import * as blob from "../storage/blob.js"
import * as queue from "../storage/queue.js"
import * as table from "../storage/table.js"
import * as file from "../storage/file.js"
import * as lake from "../storage/lake.js"
import { bound } from "../storage/rest.js"
import { accessSection } from "./access.js"
import { leaseButton } from "./lease.js"

const NAME_HINT = "3 to 63 lower-case letters, digits and dashes"
const nameField = (hint = NAME_HINT) => ({ name: "name", label: "Name", required: true, hint })

/** The first page of a list says how much there is, or that there is more than that. */
const MEASURED = 1000

const PUBLIC = [
	["", "Nobody: a key, a SAS or a token is required"],
	["blob", "Anybody can read blobs"],
	["container", "Anybody can read and list blobs"]
]

/** The services of an account's endpoints, by their names in URLs. */
export const ENDPOINTS = { blob: "Blob", queue: "Queue", table: "Table", file: "File", dfs: "Data Lake" }

/** The property with the URL of a container, queue, table or share. */
const url = (account, service, row) => ["URL", `${account.endpoints[service]}/${row.name}`]

export const KINDS = {
	blob: {
		title: "Blob containers",
		noun: "container",
		icon: "blob",
		itemIcon: "folder",
		list: blob.listContainers,
		create: {
			fields: [
				nameField(),
				{ name: "access", label: "Public access", type: "select", options: PUBLIC, hint: "Only the account key can change it later." }
			],
			run: (account, { name, access }) => blob.createContainer(account, name, access)
		},
		remove: (account, row) => blob.deleteContainer(account, row.name),
		restore: blob.restoreContainer,
		canHaveDeleted: true,
		columns: [
			{ label: "Public", width: "84px", wide: true, cell: row => row.properties.PublicAccess ?? "" },
			{ label: "Lease", width: "84px", wide: true, cell: row => (row.properties.LeaseState === "leased" ? "leased" : "") },
			{ label: "Modified", width: "152px", wide: true, cell: row => time(row.properties["Last-Modified"]) }
		],
		measured: ["Blobs", "Size"],
		async measure(account, row) {
			const { rows, next } = await blob.listBlobs(account, row.name, { size: MEASURED })
			const size = rows.reduce((sum, one) => sum + Number(one.properties["Content-Length"] ?? 0), 0)
			return { count: rows.length, size, more: Boolean(next) }
		},
		describe({ account, reload }, row, add) {
			const properties = returned(row.properties, [url(account, "blob", row), ["Public access", row.properties.PublicAccess ?? "none"]])
			add(properties)
			if (row.deleted) return
			properties.lastChild.append(
				foot(
					leaseButton(
						row.properties.LeaseState,
						(action, seconds) => blob.lease(account.name, row.name, undefined, action, seconds),
						reload
					)
				)
			)
			add(metadataSection(row.metadata, metadata => blob.setContainerMetadata(account.name, row.name, metadata)))
			if (account.options.includes("hns")) add(accessSection(bound(lake, account.name, row.name), "", true))
		},
		blank: "A container holds blobs: files, images, backups, anything."
	},
	queue: {
		title: "Queues",
		noun: "queue",
		icon: "queue",
		itemIcon: "queue",
		list: queue.listQueues,
		create: { fields: [nameField()], run: (account, { name }) => queue.createQueue(account, name) },
		remove: (account, row) => queue.deleteQueue(account, row.name),
		columns: [],
		measured: ["Messages"],
		measure: async (account, row) => ({ count: (await queue.queueProperties(account, row.name)).count }),
		async describe({ account }, row, add) {
			const { count, metadata } = await queue.queueProperties(account.name, row.name)
			add(
				section("Properties", properties([url(account, "queue", row), ["Messages", number(count)]])),
				metadataSection(metadata, entries => queue.setQueueMetadata(account.name, row.name, entries))
			)
		},
		blank: "A queue holds messages of up to 64 KiB until a worker takes them."
	},
	table: {
		title: "Tables",
		noun: "table",
		icon: "table",
		itemIcon: "table",
		list: table.listTables,
		create: {
			fields: [nameField("3 to 63 letters and digits; the first is a letter")],
			run: (account, { name }) => table.createTable(account, name)
		},
		remove: (account, row) => table.deleteTable(account, row.name),
		columns: [],
		measured: ["Entities"],
		async measure(account, row) {
			const { rows, next } = await table.queryEntities(account, row.name, { size: MEASURED })
			return { count: rows.length, more: Boolean(next) }
		},
		describe: ({ account }, row, add) => add(section("Properties", properties([url(account, "table", row)]))),
		blank: "A table holds entities: rows of typed properties, found by two keys."
	},
	file: {
		title: "File shares",
		noun: "share",
		icon: "share",
		itemIcon: "share",
		list: file.listShares,
		create: {
			fields: [nameField(), { name: "quota", label: "Quota in GiB", type: "number", min: 1, placeholder: "5120" }],
			run: (account, { name, quota }) => file.createShare(account, name, quota)
		},
		remove: (account, row) => file.deleteShare(account, row.name),
		restore: file.restoreShare,
		canHaveDeleted: true,
		columns: [
			{ label: "Tier", width: "152px", wide: true, cell: row => row.properties.AccessTier ?? "" },
			{ label: "Quota", width: "92px", end: true, wide: true, cell: row => `${row.properties.Quota} GiB` }
		],
		measured: ["Size"],
		measure: async (account, row) => ({ size: await file.shareUsage(account, row.name) }),
		async describe({ account }, row, add) {
			const usage = row.deleted ? undefined : await file.shareUsage(account.name, row.name)
			add(returned(row.properties, [url(account, "file", row), ["Used", usage === undefined ? "" : bytes(usage)]]))
			if (!row.deleted) add(metadataSection(row.metadata, metadata => file.setShareMetadata(account.name, row.name, metadata)))
		},
		blank: "A share holds directories and files, as a file server does."
	}
}
