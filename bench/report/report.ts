import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { replaceBlock } from './blocks.ts';

/** Takes lines of Markdown. */
export type Print = (markdown: string) => void;

/** Results of a run by the block of the documentation that shows them. */
export class Report {
  readonly #blocks = new Map<string, string>();

  /** What was printed, but for a comparison, by block. */
  get blocks(): ReadonlyMap<string, string> {
    return new Map([...this.#blocks].filter(([block]) => block !== COMPARISON));
  }

  /** Prints to the terminal at once, and keeps what was printed for a block. */
  print(block: string, markdown: string): void {
    console.log(markdown);
    this.#blocks.set(block, `${this.#blocks.get(block) ?? ''}${markdown}\n`);
  }

  /** Puts everything that was printed for a block of the page into it. */
  writeInto(path: string): void {
    for (const [block, text] of this.blocks) this.writeBlock(path, block, text);
  }

  writeBlock(path: string, block: string, text: string): void {
    const file = join(packageRoot(), path);
    writeFileSync(file, replaceBlock(readFileSync(file, 'utf8'), block, text));
  }
}

/** The block that no page shows. */
export const COMPARISON = 'compare';
