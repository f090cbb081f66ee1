import { useRefresh } from 'laurel-react';
import { useCallback, useEffect, useState } from 'react';

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 5_000;
let count = 0;

/** Texts that show for some seconds, also those that the backend sends: what laurel reports by webhook. */
export function useToasts() {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const refresh = useRefresh();
  const show = useCallback((text: string) => {
    const toast = { id: count++, text };
    setToasts((shown) => [...shown, toast]);
    setTimeout(() => setToasts((shown) => shown.filter((other) => other !== toast)), SHOWN_MS);
  }, []);
  useEffect(() => {
    const news = new EventSource('/news');
    news.onmessage = ({ data }) => {
      show(JSON.parse(data));
      void refresh();
    };
    return () => news.close();
  }, [show, refresh]);
  return { toasts, show };
}

export function Toasts({ toasts }: { toasts: Toast[] }) {
  return (
    <ul className="toasts" role="status">
      {toasts.map(({ id, text }) => (
        <li key={id}>{text}</li>
      ))}
    </ul>
  );
}
