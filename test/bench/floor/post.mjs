// The floor for mailing: posts so many messages to an ntfy server, a few at once, and does nothing else.
// argv: the server's url, how many, how many at once.
import { Agent, request } from "undici";

const [url, count, atOnce] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(atOnce) });
let next = 0;

async function lane() {
  while (next < Number(count)) {
    const message = `bare post ${next++}`.padEnd(300, ".");
    const { statusCode, body } = await request(`${url}/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ topic: "bare", message, title: "bare", tags: ["alarm_clock"], priority: 3 }),
      dispatcher,
    });
    await body.text();
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, lane));
await dispatcher.destroy();
