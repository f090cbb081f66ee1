export { LaurelAchievements } from './achievements.ts';
export type { ElementState, LaurelErrorDetail } from './element.ts';
export { LaurelLeaderboard } from './leaderboard.ts';
export { LaurelLeague } from './league.ts';
export { LaurelLevel } from './level.ts';
export { LaurelProvider } from './provider.ts';
export { LaurelStreak } from './streak.ts';
export type { Text, Texts, TextsByLanguage } from './words.ts';
export { LaurelWrapped } from './wrapped.ts';
