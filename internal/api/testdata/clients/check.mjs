// Asks the service at argv[2] about the photo in the file argv[3], and about the discovery
// argv[4], with other people's clients, and prints a line for each.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { ClientFactory as Former } from "a2a03/client";
import { ClientFactory as Current } from "a2a1/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, file, over] = process.argv.slice(2);
const photo = readFileSync(file);
const image = photo.toString("base64");

const former = await new Former().createFromUrl(url);
const states = [];
for await (const e of former.sendMessageStream({ message: {
  kind: "message", messageId: randomUUID(), role: "user",
  parts: [{ kind: "file", file: { bytes: image, mimeType: "image/jpeg" } }, { kind: "data", data: { lang: "en" } }],
} })) states.push(e.status?.state ?? e.artifact?.name);
console.log("0.3", [...new Set(states)].join(" "));

const current = await new Current().createFromUrl(url);
const got = await current.sendMessage({ message: {
  messageId: randomUUID(), role: 1, contextId: "", taskId: "", extensions: [], referenceTaskIds: [], metadata: undefined,
  parts: [{ content: { $case: "raw", value: photo }, filename: "", mediaType: "image/jpeg", metadata: undefined }],
}, tenant: "", configuration: undefined, metadata: undefined });
console.log("1.0", (got.task ?? got).artifacts.at(-1).name);

const client = new Client({ name: "check", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url + "/mcp")));
const { tools } = await client.listTools();
let progress = 0;
const answer = await client.callTool({ name: "analyze_image", arguments: { image, lang: "en", fresh: true } }, undefined, { onprogress: () => progress++ });
console.log("mcp", tools.length, progress > 0, answer.structuredContent.lang);
const begun = await client.callTool({ name: "start_discovery", arguments: { country: "Kenya", sector: "waste" } });
const state = async (id) => (await client.callTool({ name: "get_discovery", arguments: { id } })).structuredContent;
const found = await state(over);
console.log("discovery", (await state(begun.structuredContent.id)).state, found.state, found.output.found.items.length > 0);
await client.close();
