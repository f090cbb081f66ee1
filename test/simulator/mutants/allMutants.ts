import { CHALLENGE_MUTANTS } from './challengeMutants.ts';
import { CODE_MUTANTS } from './codeMutants.ts';
import { FIGURE_MUTANTS } from './figureMutants.ts';
import { IMPORT_MUTANTS } from './importMutants.ts';
import { LUA_MUTANTS } from './luaMutants.ts';
import { WEBHOOK_MUTANTS } from './webhookMutants.ts';

export const ALL_MUTANTS = [
  ...LUA_MUTANTS,
  ...CODE_MUTANTS,
  ...CHALLENGE_MUTANTS,
  ...IMPORT_MUTANTS,
  ...[...WEBHOOK_MUTANTS, ...FIGURE_MUTANTS].map((mutant) => ({ ...mutant, isWide: true as const })),
];
