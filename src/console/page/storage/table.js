// The Table service: https://learn.microsoft.com/rest/api/storageservices/table-service-rest-api

import { del, put, send } from "./rest.js"

const JSON_FORMAT = { accept: "application/json;odata=minimalmetadata" }
const WITH_BODY = { ...JSON_FORMAT, "content-type": "application/json" }

export async function listTables(account, { prefix, marker, size = 1000 } = {}) {
	const $filter = prefix ? `TableName ge ${quoted(prefix)} and TableName lt ${quoted(`${prefix}{`)}` : undefined
	const response = await send("table", account, "/Tables", { query: { $filter, $top: size, NextTableName: marker }, headers: JSON_FORMAT })
	const { value } = await response.json()
	return { rows: value.map(({ TableName: name }) => ({ name })), next: response.headers.get("x-ms-continuation-NextTableName") }
}

export const createTable = (account, name) =>
	send("table", account, "/Tables", { method: "POST", headers: WITH_BODY, body: JSON.stringify({ TableName: name }) })

export const deleteTable = (account, name) => del("table", account, `/Tables(${quoted(name)})`, { headers: JSON_FORMAT })

/** A page of the entities of a table that match a filter. The marker is the pair of keys that the service returned. */
export async function queryEntities(account, table, { filter, marker, size = 500 } = {}) {
	const query = { $filter: filter, $top: size, NextPartitionKey: marker?.[0], NextRowKey: marker?.[1] }
	const response = await send("table", account, `/${table}()`, { query, headers: JSON_FORMAT })
	const [partition, row] = ["Partition", "Row"].map(key => response.headers.get(`x-ms-continuation-Next${key}Key`))
	const { value } = await response.json()
	return { rows: value.map(entity), next: partition === null ? undefined : [partition, row ?? undefined] }
}

const quoted = text => `'${text.replaceAll("'", "''")}'`

/** The types of properties, by their names in the console. */
export const TYPES = ["String", "Int32", "Int64", "Double", "Boolean", "DateTime", "Guid", "Binary"]

const typeOf = value =>
	typeof value === "boolean" ? "Boolean" : typeof value === "number" ? (Number.isInteger(value) ? "Int32" : "Double") : "String"

/** An entity with the type of each property: the answer names those that JSON has no form for. */
function entity(item) {
	const properties = Object.entries(item)
		.filter(([name]) => !name.includes("odata."))
		.map(([name, value]) => ({
			name,
			value,
			type: item[`${name}@odata.type`]?.slice("Edm.".length) ?? (name === "Timestamp" ? "DateTime" : typeOf(value))
		}))
	const value = name => properties.find(property => property.name === name)?.value
	return { etag: item["odata.etag"], partition: value("PartitionKey"), row: value("RowKey"), properties }
}

/** The JSON of an entity from properties whose values are text. Throws if a value does not fit its type. */
function body(properties) {
	const result = {}
	for (const { name, value, type } of properties) {
		if (type === "Int32" || type === "Double") {
			const special = type === "Double" && ["NaN", "Infinity", "-Infinity"].includes(value)
			if (!special && (value.trim() === "" || Number.isNaN(Number(value)))) throw new Error(`${name} is not a number.`)
			result[name] = special ? value : Number(value)
			// JavaScript writes 1.0 as 1, which would be an Int32.
			if (type === "Double") result[`${name}@odata.type`] = "Edm.Double"
		} else if (type === "Boolean") {
			if (!["true", "false"].includes(value)) throw new Error(`${name} is neither true nor false.`)
			result[name] = value === "true"
		} else {
			result[name] = value
			if (type !== "String") result[`${name}@odata.type`] = `Edm.${type}`
		}
	}
	return JSON.stringify(result)
}

const key = (table, partition, row) =>
	`/${table}(PartitionKey=${encodeURIComponent(quoted(partition))},RowKey=${encodeURIComponent(quoted(row))})`

export const insertEntity = (account, table, properties) =>
	send("table", account, `/${table}`, { method: "POST", headers: { ...WITH_BODY, prefer: "return-no-content" }, body: body(properties) })

/** Replaces an entity that has not changed since it was read. */
export const updateEntity = (account, table, { partition, row, etag }, properties) =>
	put("table", account, key(table, partition, row), { headers: { ...WITH_BODY, "if-match": etag }, body: body(properties) })

export const deleteEntity = (account, table, { partition, row }) =>
	del("table", account, key(table, partition, row), { headers: { ...JSON_FORMAT, "if-match": "*" } })
