import { chooseLanguage, LANGUAGES, type Language, language } from '../text/language.ts';
import { t } from '../text/translate.ts';
import { Select } from '../ui/Select.tsx';

/** Each language by its own name. */
const CHOICES = LANGUAGES.map((code) => ({
  value: code,
  label: new Intl.DisplayNames([code], { type: 'language' }).of(code)!,
}));

/** Chooses the language of the console in this browser. Unsaved input is asked about, as at any reload. */
export function LanguageChoice() {
  const choose = (chosen: string): void => {
    chooseLanguage(chosen as Language);
    location.reload();
  };
  return (
    <div class="field">
      <label for="language">{t('Language')}</label>
      <Select id="language" value={language} choices={CHOICES} onChange={choose} />
    </div>
  );
}
