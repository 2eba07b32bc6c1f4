"use strict";
// The search: sections comes from search-index.js, MiniSearch from minisearch.js.
{
	const form = document.getElementById("search");
	const input = form.querySelector("input");
	const list = document.getElementById("found");
	const words = (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((w) => w !== "");
	let index;
	const start = () => {
		if (index) return;
		index = new MiniSearch({ fields: ["title", "page", "text"], tokenize: words, searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" } });
		index.addAll(sections);
	};
	// excerpt returns the text around the first word that was found, which it marks.
	const excerpt = (text, terms) => {
		const small = document.createElement("small");
		const low = text.toLowerCase();
		let at = -1, length = 0;
		for (const term of terms) {
			const i = low.indexOf(term);
			if (i >= 0 && (at < 0 || i < at)) [at, length] = [i, term.length];
		}
		if (at < 0) {
			small.textContent = text.slice(0, 120);
			return small;
		}
		const mark = document.createElement("mark");
		mark.textContent = text.slice(at, at + length);
		small.append((at > 50 ? "…" : "") + text.slice(Math.max(0, at - 50), at), mark, text.slice(at + length, at + length + 90) + "…");
		return small;
	};
	const search = () => {
		start();
		const found = index.search(input.value).slice(0, 12);
		list.replaceChildren(...found.map((f) => {
			const s = sections[f.id];
			const a = document.createElement("a");
			a.href = form.dataset.up + s.to;
			const title = document.createElement("span");
			title.textContent = s.title === s.page ? s.page : s.page + " › " + s.title;
			a.append(title, excerpt(s.text, f.terms));
			const li = document.createElement("li");
			li.append(a);
			return li;
		}));
		if (found.length === 0 && input.value.trim() !== "") {
			const li = document.createElement("li");
			li.textContent = "Nothing found.";
			list.append(li);
		}
		list.hidden = input.value.trim() === "";
	};
	input.addEventListener("input", search);
	input.addEventListener("focus", start);
	form.addEventListener("submit", (e) => {
		e.preventDefault();
		list.querySelector("a")?.click();
	});
	const asked = new URLSearchParams(location.search).get("q"); // index.html?q=words
	if (asked) {
		input.value = asked;
		search();
	}
	document.addEventListener("keydown", (e) => {
		if (e.key === "Escape") list.hidden = true;
		if (e.key === "/" && document.activeElement !== input) {
			e.preventDefault();
			input.focus();
		}
	});
	document.addEventListener("click", (e) => {
		if (!form.contains(e.target)) list.hidden = true;
	});
}
