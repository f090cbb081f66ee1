import { useData } from 'vitepress';
import { h, onMounted, ref } from 'vue';

/** Leads to the versions that are published beside this one; laurel itself serves one alone. */
export default {
  setup() {
    const { site, theme } = useData();
    const { version } = theme.value;
    const [root, ...rest] = site.value.base.split(`${version}/`);
    const versions = ref([]);
    onMounted(async () => {
      if (rest.length === 0) return;
      const answer = await fetch(`${root}versions.json`);
      if (answer.ok) versions.value = await answer.json();
    });
    const open = ({ target }) => location.assign(`${root}${target.value}/`);
    return () => {
      if (versions.value.length < 2) return null;
      const options = versions.value.map((name) => h('option', { selected: name === version }, name));
      return h('select', { class: 'versions', 'aria-label': 'Version', onChange: open }, options);
    };
  },
};
