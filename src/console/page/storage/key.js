// What the server demands of pages. Only this page has it: documents that are stored in the server have the same origin.

export const pageKey = document.querySelector("meta[name=page-key]").content

/** The header of control requests. */
export const keyHeader = { "x-lazuli-page-key": pageKey }
