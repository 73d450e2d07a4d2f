"""What bench_ui compares the dashboard with on the same machine in the same minute: a slider, a
number and a picture that follow it."""

import streamlit as st

at = st.sidebar.slider("λ", 0.0, 1.0, 0.8, 0.001, key="lam")
st.metric("λ", f"{at:.3f}")
spec = {
    "width": "container",
    "mark": "point",
    "encoding": {
        axis: {"field": axis, "type": "quantitative", "scale": {"domain": [0, 1]}} for axis in "xy"
    },
}
st.vega_lite_chart([{"x": at, "y": 1 - at}], spec)
