/** Figures for everybody: nothing that names a tenant can become a label. */
import { expect, test } from 'vitest';
import { createMetrics } from '#platform/metrics';

test('figures are exposed in the text format', async () => {
  const metrics = createMetrics({ processFigures: false });
  metrics.counter({ help: 'h', labels: ['code'], name: 'things_total' }).inc({ code: 'a' }, 2);
  metrics.gauge({ collect: () => 7, help: 'h', name: 'depth' });
  metrics.histogram({ buckets: [0.1, 1], help: 'h', name: 'seconds' }).observe(0.5);
  const { contentType, text } = await metrics.expose();
  expect(contentType).toMatch('text/plain');
  expect(text).toContain('things_total{code="a"} 2');
  expect(text).toContain('depth 7');
  expect(text).toContain('seconds_bucket{le="1"} 1');
});

test.each(['tenant_id', 'tenant', 'key', 'name', 'path'])('%s is no label', (label) => {
  const metrics = createMetrics({ processFigures: false });
  expect(() => metrics.counter({ help: 'h', labels: [label as never], name: 'x' })).toThrow(
    /label/,
  );
});

test('two sets of figures do not share a registry', () => {
  createMetrics({ processFigures: true });
  expect(() => createMetrics({ processFigures: true })).not.toThrow();
});
