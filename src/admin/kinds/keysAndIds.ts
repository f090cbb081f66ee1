import type { ReferredKind } from '../../contract/kinds/field.ts';
import type { AttributeValue, Config } from '../../rules/config.ts';

/** Finds ids by the keys in a file; reports unknown ones with their path. */
export interface IdsByKey {
  idOf(kind: ReferredKind, key: string, path: string): string;
  attributeId(type: 'user' | 'event', key: string, path: string): string;
  filter(type: 'user' | 'event', values: Record<string, string>, path: string): AttributeValue[];
}

/** The inverse: the keys by which a file refers to entities. */
export class KeysById {
  readonly #keys: Map<string, string>;

  constructor({ attributes, metrics, achievements, pointsSystems }: Config) {
    const all = [...attributes, ...metrics, ...achievements, ...pointsSystems];
    this.#keys = new Map(all.map(({ id, key }) => [id, key]));
  }

  of(id: string): string {
    return this.#keys.get(id)!;
  }

  filter(pairs: AttributeValue[]): Record<string, string> {
    return Object.fromEntries(
      pairs.map(({ attributeId, attributeValue }) => [this.of(attributeId), attributeValue]),
    );
  }
}
