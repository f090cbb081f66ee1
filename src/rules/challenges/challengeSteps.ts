/** What a user or an event does to a run of a challenge, beyond progress. */
export type ChallengeStep = 'joined' | 'left' | 'completed' | 'claimed';
