/**
 * Baseline of the http suite: node:http that reads a body and answers JSON, and does nothing else.
 */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ echo: JSON.parse(body) }));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
