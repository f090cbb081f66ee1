-- The trace that the attempts to deliver continue: `context` of a span (src/base/spans.ts). Null if the change was not traced.
alter table webhook_deliveries add column trace text;
