"""Serves the JupyterLab that build.mjs has built into the folder RNMF_LAB_BUILT."""
import os

from jupyterlab_server import LabServerApp

built = os.environ["RNMF_LAB_BUILT"]


class Lab(LabServerApp):
    name = app_name = "lab"
    load_other_extensions = False
    app_version = "0"
    app_url = extension_url = "/lab"
    static_dir = built
    templates_dir = os.path.dirname(os.path.abspath(__file__))
    schemas_dir = os.path.join(built, "schemas")
    themes_dir = os.path.join(built, "themes")
    app_settings_dir = user_settings_dir = workspaces_dir = os.environ["JUPYTER_CONFIG_DIR"]


def _jupyter_server_extension_points():
    return [{"module": __name__, "app": Lab}]
