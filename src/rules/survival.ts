/** How many have come to a length: those that ended with it, and those that have it and go on. */
export interface LengthsReached {
  length: number;
  ended: number;
  ongoing: number;
}

export interface SurvivalStep {
  length: number;
  atRisk: number;
  lost: number;
  /** Estimated share that becomes longer than `length`. */
  rate: number;
}

/**
 * The survival curve by E. L. Kaplan and P. Meier, Nonparametric estimation from incomplete observations,
 * Journal of the American Statistical Association 53 (1958), 457–481: what goes on counts up to the length
 * that it has.
 */
export function survivalCurve(lengths: readonly LengthsReached[]): SurvivalStep[] {
  const ascending = lengths.toSorted((a, b) => a.length - b.length);
  let atRisk = ascending.reduce((sum, { ended, ongoing }) => sum + ended + ongoing, 0);
  let rate = 1;
  return ascending.map(({ length, ended, ongoing }) => {
    rate *= 1 - ended / atRisk;
    const step = { length, atRisk, lost: ended, rate };
    atRisk -= ended + ongoing;
    return step;
  });
}
