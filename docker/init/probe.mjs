/** Liveness, for a container's health check: exit 0 where /healthz of a local port answers 200. */
const [, , port] = process.argv;
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
  process.exit(status === 200 ? 0 : 1);
} catch {
  process.exit(1);
}
