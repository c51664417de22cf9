// Loaded into a process before anything else, with --expose-gc: tells on standard error, twice a second, what is alive.

setInterval(() => {
  globalThis.gc?.();
  process.stderr.write(`live heap: ${process.memoryUsage().heapUsed} bytes\n`);
}, 500).unref();
