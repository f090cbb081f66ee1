/** Texts of a third language. Elements bring English and German along. */
const RANKING = {
  empty: 'لا أحد في الترتيب بعد.',
  rank: 'الترتيب',
  name: 'الاسم',
  score: 'النتيجة',
  you: '(أنت)',
  ends: 'حتى {date}',
  own: 'ترتيبك: {rank}، ونتيجتك {value}',
  unranked: 'لا ترتيب لك بعد.',
};
const ARABIC = {
  common: {
    loading: 'جارٍ التحميل…',
    failed: 'تعذّر العرض الآن.',
    signedOut: 'سجّل الدخول من جديد.',
    retry: 'أعد المحاولة',
  },
  streak: {
    heading: 'السلسلة',
    empty: 'لا سلسلة بعد. ابدأ اليوم.',
    daily: { one: 'يوم متتالٍ', two: 'يومان متتاليان', few: 'أيام متتالية', other: 'يومًا متتاليًا' },
    doneDaily: 'أنجزت اليوم',
    openDaily: 'حافظ عليها اليوم',
    freezes: 'تجميد: {n}',
    history: 'الأيام الأخيرة',
    kept: 'أُنجز',
    frozen: 'أنقذه تجميد',
    paused: 'متوقف',
    missed: 'فائت',
    open: 'لم يُنجز بعد',
  },
  level: {
    noLevel: 'بلا مستوى بعد',
    progress: 'التقدّم نحو {level}',
    next: 'بقي {n} {name} إلى {level}',
    highest: 'بلغت أعلى مستوى',
    of: '{value} من {to} {name}',
  },
  leaderboard: RANKING,
  league: {
    ...RANKING,
    empty: 'اجمع نقطة لتنضم إلى مجموعة.',
    tiers: 'الدرجات',
    promotes: 'هؤلاء يصعدون',
    stays: 'هؤلاء يبقون',
    demotes: 'هؤلاء يهبطون',
    promoted: 'المرة الماضية: المركز {rank}، وصعدت',
    stayed: 'المرة الماضية: المركز {rank}',
    demoted: 'المرة الماضية: المركز {rank}، وهبطت',
  },
  achievements: {
    heading: 'الإنجازات',
    empty: 'لا إنجازات بعد.',
    summary: '{done} من {all}',
    progress: 'التقدّم',
    of: '{current} من {target}',
    completed: 'أُنجز في {date}',
    open: 'لم يُنجز بعد',
    rarity: 'لدى {share} من المستخدمين',
  },
  wrapped: {
    heading: 'عامك {year}',
    empty: 'لم يحدث شيء هذا العام بعد.',
    daysActive: { few: 'أيام نشاط', other: 'يوم نشاط' },
    mostActiveDay: 'أكثر الأيام نشاطًا',
    mostActiveMonth: 'أكثر الشهور نشاطًا',
    achievements: { few: 'إنجازات', other: 'إنجازًا' },
    longestStreak: 'أطول سلسلة',
    daily: { few: '{n} أيام', other: '{n} يومًا' },
    percentile: '{share} من المستخدمين لم يفعلوا أكثر',
  },
};

const provider = document.querySelector('laurel-provider');
const problem = document.querySelector('#problem');
provider.texts = { ar: ARABIC };

// On the first of January, the year in review is the one that has ended.
const yesterday = new Date();
yesterday.setDate(yesterday.getDate() - 1);
document.querySelector('laurel-wrapped').year = yesterday.getFullYear();

document.querySelector('#language').addEventListener('change', ({ target }) => {
  document.documentElement.lang = target.value;
  document.documentElement.dir = target.value === 'ar' ? 'rtl' : 'ltr';
});
document.querySelector('#colours').addEventListener('change', ({ target }) => {
  document.documentElement.style.colorScheme = target.value;
});
document.querySelector('#lesson').addEventListener('click', async () => {
  problem.textContent = '';
  try {
    await provider.record('lessons', 1, { expected: { points: { xp: 10 }, extendsStreak: true } });
  } catch (error) {
    problem.textContent = error.message;
  }
});
document.addEventListener('laurel-error', ({ target, detail }) => {
  problem.textContent = `${target.localName}: ${detail.error.message}`;
});
