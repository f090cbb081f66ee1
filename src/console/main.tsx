import './style/tokens.css';
import './style/base.css';
import './style/layout.css';
import './style/components.css';
import './style/forms.css';
import './style/charts.css';
import './style/history.css';
import './style/search.css';
import { render } from 'preact';
import { resumeSession } from './api/session.ts';
import { App } from './app.tsx';
import { language } from './text/language.ts';
import { askBeforeLeaving } from './ui/form/unsaved.ts';

document.documentElement.lang = language;
askBeforeLeaving();
render(<App />, document.querySelector('#app')!);
void resumeSession();
