import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import './style.css';
import VersionSwitch from './VersionSwitch.js';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'sidebar-nav-before': () => h(VersionSwitch) }),
};
